# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# What the lint scripts share. Each looks at the tree in LINT_ROOT (default: this one) and prints
# "not ok NAME - FILE:LINE: what is wrong" for each finding, or one "ok NAME".
# shellcheck shell=bash

set -u
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "${LINT_ROOT:-$top}" || exit 1
lint=$(basename "$0" .sh)
findings=0

# finding PLACE TEXT: PLACE is FILE or FILE:LINE.
finding()
{
	echo "not ok $lint - $1: $2"
	findings=$((findings + 1))
}

# findings_from COMMAND...: a finding for each line "PLACE<tab>TEXT" that the command prints.
findings_from()
{
	local place text

	while IFS=$'\t' read -r place text; do
		finding "$place" "$text"
	done < <("$@")
}

# verdict WHAT: the last call; WHAT was looked at.
verdict()
{
	((findings)) || echo "ok $lint ($1)"
	exit 0
}

without()
{
	echo "skip $lint - no $1 here"
	exit 77
}

# files PATTERN...: what lies in the tree and matches a pattern of find -name; nothing that was built.
files()
{
	local pattern names=()

	for pattern; do
		names+=(-o -name "$pattern")
	done
	find . \( -name build -o -name .git -o -name .library \) -prune -o \
		-type f \( "${names[@]:1}" \) -print | sed 's,^\./,,' | sort
}

# The folders of the product: what is linked into a program that ships.
product_files()
{
	files "$@" | grep -E '^(common|format|bpf|record|report)/'
}
