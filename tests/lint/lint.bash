# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Shared by the lint scripts. Each checks the tree in LINT_ROOT (default: this one) and prints
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

# findings_from COMMAND...: a finding for each line "PLACE<tab>TEXT" of the command's output.
findings_from()
{
	local place text

	while IFS=$'\t' read -r place text; do
		finding "$place" "$text"
	done < <("$@")
}

# verdict WHAT: the last call; WHAT was checked.
verdict()
{
	((findings)) || echo "ok $lint ($1)"
	exit 0
}

without()
{
	echo "skip $lint - '$1' is not installed"
	exit 77
}

# files PATTERN...: files of the tree that match a pattern of find -name, except built ones.
files()
{
	local pattern names=()

	for pattern; do
		names+=(-o -name "$pattern")
	done
	find . \( -name build -o -name .git -o -name .library \) -prune -o \
		-type f \( "${names[@]:1}" \) -print | sed 's,^\./,,' | sort
}

# The folders of the product: sources that are linked into the programs we ship.
product_files()
{
	files "$@" | grep -E '^(common|format|bpf|record|report)/'
}
