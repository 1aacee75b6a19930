#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# --svg of every sample trace is sound XML without external references, and its boxes have the sums of --folded.
# CHECK_LEVEL=check: of every third sample.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
LC_ALL=C.UTF-8

report=$PWD/${BUILD:-build}/rwalker-report
[[ -x $report ]] || { echo "not ok svg - '$report' is not built"; exit 1; }
command -v python3 >/dev/null || { echo "skip svg - 'python3' is not installed"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0

print() { "$report" --symfs "$dir/nowhere" --debug-dir "$dir/nowhere" --no-cache "$@" 2>>"$dir/said"; }

# same TRACE KIND SHAPE OPTION...
same()
{
	local why unit=samples name="${1#samples/} $2 $3 ${*:4}"
	[[ $2 != offcpu && $2 != wakers ]] || unit=us
	print --folded --throughout --source "$2" "${@:4}" "$1" >"$dir/folded"
	[[ -s $dir/folded ]] || return # the trace does not have it
	print "--svg=$3" --throughout --source "$2" "${@:4}" "$1" >"$dir/picture"
	if why=$(python3 tests/golden/svg_check.py "$dir/picture" "$dir/folded" $unit 2>&1); then
		ok "$name ($why)"
	else
		not_ok "$name" "$(tail -n 5 <<<"$why" | tr '\n' ' ')"
	fi
	count=$((count + 1))
}

for trace in $(some_samples 2); do
	for kind in cpu offcpu wakers tasks; do
		same "$trace" $kind flame
	done
done
same samples/waits/trace.rwk offcpu icicle --by process
same samples/waits/trace.rwk offcpu icicle -U
same samples/cpu_paths/trace.rwk cpu icicle -K

((count >= 10)) || not_ok svg "only $count pictures were compared"

print --folded --throughout --source cpu samples/cpu_paths/trace.rwk >"$dir/folded"
print --svg --throughout --source cpu samples/cpu_paths/trace.rwk |
	sed "0,/data-samples='\(7[0-9]*\)'/s//data-samples='1\1'/" >"$dir/picture"
if python3 tests/golden/svg_check.py "$dir/picture" "$dir/folded" samples >/dev/null 2>&1; then
	not_ok "finds a wrong sum" "the script is content"
else
	ok "finds a wrong sum"
fi

exit $((failures > 0))
