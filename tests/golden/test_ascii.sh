#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# If the locale is not UTF-8, reports have >=, <= and +- instead of the usual signs, and are otherwise the same;
# output for programs is the same in every locale. CHECK_LEVEL=check: the reports of every third sample.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
report=$PWD/${BUILD:-build}/rwalker-report
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# report_in LOCALE FOLDER NAME
report_in()
{
	local -a words

	read -r -a words <"$2/$3.cmd"
	(cd "$2" && LC_ALL=$1 "$report" -q --symfs "$scratch" --debug-dir "$scratch" "${words[@]}" trace.rwk 2>/dev/null)
}

signs=0
for command in $(some_samples 2 | sed 's|trace.rwk$|*.cmd|'); do
	folder=${command%/*} name=$(basename "$command" .cmd)
	[[ $name != export_* ]] || continue # output for programs is always UTF-8
	report_in C.UTF-8 "$folder" "$name" >"$scratch/utf8"
	report_in C "$folder" "$name" >"$scratch/ascii"
	sed 's/≥/>=/g; s/≤/<=/g; s/±/+-/g; s/µ/u/g; s/→/->/g' "$scratch/utf8" >"$scratch/wanted"
	verdict "$folder $name in ASCII" "it differs in more than the signs" cmp -s "$scratch/wanted" "$scratch/ascii"
	cmp -s "$scratch/utf8" "$scratch/ascii" || signs=$((signs + 1))
	lacks -P '[^\x00-\x7f]' "$scratch/ascii" || not_ok "$folder $name" "it has a byte that is not ASCII"
done
verdict "some reports have signs" "none of them has any" [ "$signs" -gt 1 ]

verdict "what programs read is the same in both" "it differs" \
	cmp -s <(cd samples/waits && LC_ALL=C "$report" --folded --source offcpu trace.rwk 2>/dev/null) \
	<(cd samples/waits && LC_ALL=C.UTF-8 "$report" --folded --source offcpu trace.rwk 2>/dev/null)
[ "$failures" -eq 0 ]
