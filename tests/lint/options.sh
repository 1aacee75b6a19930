#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The options of the built programs: each that has only a long name is in a test, README.md mentions each view, and
# CHANGELOG.md mentions options that are new since the latest release (tests/compat/VERSION/options), and those that
# were removed.
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

# changed PROGRAM
changed()
{
	local listed option

	listed=$(printf '%s\n' tests/compat/*/options | sort -V | tail -n 1)
	[[ -f $listed ]] || return
	for option in $(comm -3 <(options "$1") <(sed -n "s/^$1 //p" "$listed" | sort -u)); do
		names CHANGELOG.md "$option" || printf 'CHANGELOG.md:1\tdoes not tell of %s %s, which is not as %s has it\n' "$1" "$option" "$listed"
	done
}

programs=0
for program in rwalker-record rwalker-report; do
	[[ -x build/$program ]] || continue
	programs=$((programs + 1))
	findings_from untested $program
	findings_from changed $program
	[[ $program != rwalker-report ]] || findings_from views_unknown_to_readme
done
verdict "$programs programs"
