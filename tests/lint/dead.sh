#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Dead code: each function of the product is in one of the two programs. The linker is asked what it leaves out when it
# gets every object.
. "$(dirname "$0")/lint.bash"

# Sources without the machines that are not built here, whose objects do not exist.
objects()
{
	files '*.c' '*.S' | grep -E "^($1)/" | sed -n 's,^\(.*\)\.[cS]$,build/\1.o,p' | grep -v '\.bpf\.o$' | while IFS= read -r object; do
		[[ -f $object ]] && echo "$object"
	done
}

# left_out PROGRAM: "OBJECT FUNCTION" for each that the program does not have.
left_out()
{
	objects "common|format|$1" | xargs "${CC:-cc}" -pie -o /dev/null -Wl,--gc-sections,--print-gc-sections,--unresolved-symbols=ignore-all 2>&1 |
		sed -nE "s,.*section '\.text\.(unlikely\.|startup\.)?([A-Za-z0-9_]+)[^']*' in file 'build/([^']*)\.o'.*,\3 \2,p" | sort -u
}

# What both programs share is dead if both leave it out. What its own file calls, inlined, may be there for a test.
dead()
{
	{ left_out record; left_out report; } | sort | uniq -c | awk '$1 == 2 || $2 !~ /^(common|format)\// { print $2, $3 }' |
		while read -r file name; do
			if (($(grep -cw "$name" "$file.c") < 2)); then
				printf '%s.c:1\tnothing but a test calls %s()\n' "$file" "$name"
			elif ! grep -rqw --include='*.[ch]' "$name" tests; then
				printf '%s.c:1\t%s() is not static, but called here only\n' "$file" "$name"
			fi
		done
}

[[ -f build/record/main.o && -f build/report/main.o ]] || { echo "skip $lint - nothing is built"; exit 77; }
findings_from dead
verdict "$(objects 'common|format|record|report' | wc -l) objects"
