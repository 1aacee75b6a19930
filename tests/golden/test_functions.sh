#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# --functions and --top-down of every sample trace have the sums of self and total that a script computes from
# --export perf-script. CHECK_LEVEL=check: of every third.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
LC_ALL=C.UTF-8

report=$PWD/${BUILD:-build}/rwalker-report
[[ -x $report ]] || { echo "not ok functions - '$report' is not built"; exit 1; }
command -v python3 >/dev/null || { echo "skip functions - 'python3' is not installed"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0

# print TRACE OPTION...: a report with names from the trace alone.
print()
{
	local trace=$1
	shift
	"$report" --symfs "$dir/nowhere" --debug-dir "$dir/nowhere" "$@" "$trace" 2>>"$dir/said"
}

# same TRACE KIND: compares one source. -v, because wakers are otherwise listed without the wakeup; -K, because the
# user frames of an interrupt belong to another task, and perf's text does not have them.
same()
{
	local -a only=(--source "$2") list=() lines=(--min-percent 0)
	local why

	[[ $2 != wakers ]] || only+=(-K) list=(-v)
	print "$1" --export perf-script "${only[@]}" >"$dir/script"
	[[ -s $dir/script ]] || return # the trace does not have it
	print "$1" --functions --throughout "${list[@]}" "${lines[@]}" "${only[@]}" | sed 's/\[no kernel frames\]/[no call chain]/' >"$dir/functions"
	print "$1" --top-down --throughout "${lines[@]}" "${only[@]}" | sed 's/\[no kernel frames\]/[no call chain]/' >"$dir/top_down"
	if why=$(python3 tests/golden/functions_check.py "$dir/script" "$dir/functions" "$dir/top_down" 2>&1); then
		ok "${1#samples/} $2 ($why)"
	else
		not_ok "${1#samples/} $2" "$(tail -n 5 <<<"$why" | tr '\n' ' ')"
	fi
	count=$((count + 1))
}

# The script finds one changed figure, in either text.
finds_mistakes()
{
	local text
	for text in functions top_down; do
		cp "$dir/$text" "$dir/kept"
		awk '!changed && /^ / { $1 = ""; $2 += 77; changed = 1; $0 = " 50.00% " $0 } { print }' "$dir/kept" >"$dir/$text"
		exits_not_0 "finds a wrong figure in $text"
		cp "$dir/kept" "$dir/$text"
	done
}

exits_not_0()
{
	if python3 tests/golden/functions_check.py "$dir/script" "$dir/functions" "$dir/top_down" >/dev/null 2>&1; then
		not_ok "$1" "the script is content"
	else
		ok "$1"
	fi
}

for trace in $(some_samples 2); do
	for kind in cpu offcpu wakers tracepoint kfunc; do
		same "$trace" $kind
	done
done
((count >= 10)) || not_ok functions "only $count sources were compared"
finds_mistakes
exit $((failures > 0))
