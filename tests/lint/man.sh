#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The man pages: mandoc finds no faults, and each program's page and --help list the same long options.
. "$(dirname "$0")/lint.bash"

command -v mandoc >/dev/null || without mandoc

mandoc_findings()
{
	files '*.[1-8]' | while IFS= read -r page; do
		mandoc -T lint -W style "$page" 2>&1 | grep -vE 'referenced manual not found|missing date|Mdocdate|operating system|outdated mandoc.db|line longer than 80 bytes' |
			sed -n "s|^mandoc: \([^:]*\):\([0-9]*\):[0-9]*: |\1:\2\t|p"
	done
}

# same_options PROGRAM PAGE
same_options()
{
	local shown=$dir/shown described=$dir/described

	"$1" --help=all | grep -oE -- '(^|[ ,])--[a-z][a-z-]*' | tr -d ' ,' | sort -u >"$shown"
	mandoc -T ascii "$2" | col -b | grep -oE -- '--[a-z][a-z-]*' | sort -u >"$described"
	comm -23 "$shown" "$described" | sed "s|^|$2:1\tdoes not describe |"
	grep -E '^\.It.*Fl' "$2" | grep -oE -- ' -[a-z][a-z-]+' | sed 's/^ /-/' | sort -u | comm -13 "$shown" - |
		sed "s|^|$2:1\tdescribes an option that --help does not have: |"
}

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
findings_from mandoc_findings
for program in record report; do
	[[ -x build/rwalker-$program && -f $program/rwalker-$program.1 ]] &&
		findings_from same_options "build/rwalker-$program" "$program/rwalker-$program.1"
done
verdict "$(files '*.[1-8]' | wc -l) pages"
