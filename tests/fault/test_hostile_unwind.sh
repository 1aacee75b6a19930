#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Traces with malicious unwind tables (hostile_unwind.py): the report, in its sandbox, needs bounded time and
# memory, and has every sample. CHECK_LEVEL=long: tables of 64 MB.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh

report=$PWD/${BUILD:-build}/rwalker-report make_trace=$PWD/${BUILD:-build}/tests/make_trace
for program in "$report" "$make_trace"; do
	[[ -x $program ]] || { echo "not ok hostile_unwind - '$program' is not built"; exit 1; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trace=$scratch/t.rwk bytes=$((4 << 20))
[ "${CHECK_LEVEL:-check}" = check ] || bytes=$((64 << 20))

# On this machine each takes less than 4 s, at any level, and less than 200 MB. Unbounded costs would be far above the
# limits.
judge()
{
	local spent memory
	python3 tests/fault/hostile_unwind.py "$1" $bytes | "$make_trace" /dev/stdin "$trace" || { not_ok "$1" 'it cannot be made'; return; }
	exits "$1" 0 costing "$scratch/cost" "$report" --no-cache --max-memory 2G --folded "$trace"
	read -r spent memory <"$scratch/cost"
	verdict "$1_cost" "it took $spent ms of CPU time and $memory MB" [ $((spent < 60000 && memory < 300)) = 1 ]
	verdict "$1_samples" "$(tail -n 1 "$scratch/out")" [ "$(awk '{ sum += $NF } END { print sum }' "$scratch/out")" = 300 ]
}

for kind in $(python3 tests/fault/hostile_unwind.py); do judge "$kind"; done
[ $failures = 0 ]
