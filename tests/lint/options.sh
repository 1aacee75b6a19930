#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The options of the built programs: the manual has the same ones as --help, and each that has only a long name is in a
# test. mandoc finds no fault in any manual.
. "$(dirname "$0")/lint.bash"

command -v mandoc >/dev/null || without mandoc
[[ -x build/rwalker-record && -x build/rwalker-report ]] || { echo "skip $lint - nothing is built"; exit 77; }

mandoc_findings()
{
	files '*.[1-8]' | xargs -r mandoc -T lint -W style 2>&1 |
		grep -vE 'referenced manual not found|missing date|Mdocdate|operating system|outdated mandoc.db|line longer than 80 bytes' |
		sed -n "s|^mandoc: \([^:]*:[0-9]*\):[0-9]*: |\1\t|p"
}

long_options() { grep -oE -- '(^|[ ,])--[a-z][a-z-]*' | tr -d ' ,' | sort -u; }

# same_options PROGRAM PAGE
same_options()
{
	comm -23 <("$1" --help=all | long_options) <(mandoc -T ascii "$2" | col -b | grep -oE -- '--[a-z][a-z-]*' | sort -u) |
		sed "s|^|$2:1\tdoes not describe |"
	grep -E '^\.It.*Fl' "$2" | grep -oE -- ' -[a-z][a-z-]+' | sed 's/^ /-/' | sort -u |
		comm -13 <("$1" --help=all | long_options) - | sed "s|^|$2:1\tdescribes an option that --help does not have: |"
}

untested()
{
	"$1" --help=all | grep -oE -- '^ {6}--[a-z][a-z-]*' | tr -d ' ' | sort -u |
		comm -23 - <(files '*.sh' '*.c' '*.py' '*.cmd' | grep -E '^(tests|samples)/' | xargs cat | grep -oE -- '--[a-z][a-z-]*' | sort -u) |
		sed "s|^|tests/:1\thas no test of $1 |"
}

findings_from mandoc_findings
for program in record report; do
	findings_from same_options build/rwalker-$program $program/rwalker-$program.1
	findings_from untested build/rwalker-$program
done
verdict "2 programs, $(files '*.[1-8]' | wc -l) pages"
