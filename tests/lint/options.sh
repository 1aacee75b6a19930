#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The options of the built programs: each that has only a long name is in a test, and README.md mentions each view.
. "$(dirname "$0")/lint.bash"

# options PROGRAM: its long options, sorted.
options()
{
	"build/$1" --help=all | grep -oE -- '(^|[ ,])--[a-z][a-z-]*' | tr -d ' ,' | sort -u
}

# names FILE... OPTION: whether one of the files has the option as a word.
names()
{
	grep -qE -e "(^|[^-a-z])${*: -1}([^-a-z]|\$)" "${@:1:$#-1}"
}

# untested PROGRAM
untested()
{
	local option tests

	mapfile -t tests < <(files 'test_*.sh' '*.c' '*.py' | grep '^tests/' | grep -v '^tests/lint/')
	for option in $("build/$1" --help=all | grep -oE -- '^ {6}--[a-z][a-z-]*'); do
		((${#tests[@]})) && names "${tests[@]}" "$option" || printf 'tests/:1\thas no test of %s %s\n' "$1" "$option"
	done
}

views_unknown_to_readme()
{
	local option

	for option in $(build/rwalker-report --help=all | sed -n '/^Views:/,/^$/p' | grep -oE -- '^  .{4}--[a-z][a-z-]*' | grep -oE -- '--.*'); do
		names README.md "$option" || printf 'README.md:1\tdoes not name the view %s\n' "$option"
	done
}

programs=0
for program in rwalker-record rwalker-report; do
	[[ -x build/$program ]] || continue
	programs=$((programs + 1))
	findings_from untested $program
	[[ $program != rwalker-report ]] || findings_from views_unknown_to_readme
done
verdict "$programs programs"
