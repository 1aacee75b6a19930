#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The examples of the manual print what it says: the lines below each command with a trace of samples/ are in its
# output, in that order.
set -u
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C.UTF-8 XDG_CACHE_HOME=/nonexistent
unset NO_COLOR RWALKER_PAGER PAGER

report=${BUILD:-build}/rwalker-report
page=report/rwalker-report.1
output=$(mktemp)
trap 'rm -f "$output"' EXIT

examples()
{
	sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE ALSO/p' "$page" | sed -n '/^\.Bd/,/^\.Ed/p' | sed 's/\\(>=/≥/g; /^\.[BE]d/d'
}

# judge COMMAND: whether the lines in $lines are in its output.
judge()
{
	local line row=0 found

	[[ $1 == *samples/* ]] || return
	(eval "$report --no-local-files ${1#rwalker-report }") >"$output" 2>&1
	((${#lines[@]})) || echo "not ok $1 - the manual shows nothing of it"
	for line in "${lines[@]}"; do
		found=$(tail -n +$((row + 1)) "$output" | sed 's/ *$//' | grep -nxF -m 1 -e "$line")
		if [[ ! $found ]]; then
			echo "not ok $1 - its output lacks '$line', or has it before other lines"
			return
		fi
		((row += ${found%%:*}))
	done
	echo "ok $1"
}

command='' lines=()
while IFS= read -r line; do
	if [[ $line == '$ '* ]]; then
		judge "$command"
		command=${line#??} lines=()
	else
		lines+=("$line")
	fi
done < <(examples; echo '$ ')
