#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A function has at most 60 lines, a .c file and a script of the page at most 800.
. "$(dirname "$0")/lint.bash"

command -v ctags >/dev/null || without universal-ctags

long_functions()
{
	files '*.[ch]' | ctags -L - -x --kinds-C=f --kinds-C++=f --langmap=C:.c.h --fields=+ne --_xformat='%F %n %e %N' |
		awk '$3 - $2 >= 60 { printf "%s:%d\tfunction %s has %d lines, the limit is 60\n", $1, $2, $4, $3 - $2 + 1 }'
}

long_files()
{
	files '*.c' '*.js' | xargs wc -l | awk '$1 > 800 && $2 != "total" { printf "%s:800\t%d lines, the limit is 800\n", $2, $1 }'
}

findings_from long_functions
findings_from long_files
verdict "$(files '*.[ch]' | wc -l) files"
