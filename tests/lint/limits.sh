#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Sizes: a function at most 60 lines, a .c 500, a .h 150; a line 132 columns with tabs of 8 (aim at 100).
. "$(dirname "$0")/lint.bash"

command -v ctags >/dev/null || without universal-ctags

# Prints "FILE:LINE<tab>text" for each function above the limit.
long_functions()
{
	files '*.[ch]' | ctags -L - -x --kinds-C=f --kinds-C++=f --langmap=C:.c.h --fields=+ne --_xformat='%F %n %e %N' |
		awk '$3 - $2 + 1 > 60 { printf "%s:%d\tfunction %s has %d lines, the limit is 60\n", $1, $2, $4, $3 - $2 + 1 }'
}

# file_limit PATTERN LIMIT
file_limit()
{
	files "$1" | while IFS= read -r file; do
		lines=$(wc -l <"$file")
		((lines > $2)) && printf '%s:%d\t%d lines, the limit is %d\n' "$file" "$2" "$lines" "$2"
	done
}

# Comments may reach column 140: those behind code stand in a column of their own. Texts are not cut.
wide_lines()
{
	files '*.[ch]' | xargs -r perl -ne '
		1 while s/\t/" " x (8 - length($`) % 8)/e;
		chomp;
		my $limit = m{/\*|^\s*\*|//} ? 140 : 132;
		printf "%s:%d\t%d columns, the limit is %d\n", $ARGV, $., length, $limit
			if length > $limit && !/".{30,}"/;
		close ARGV if eof;'
}

findings_from long_functions
findings_from file_limit '*.c' 500
findings_from file_limit '*.h' 150
findings_from wide_lines
verdict "$(files '*.[ch]' | wc -l) files"
