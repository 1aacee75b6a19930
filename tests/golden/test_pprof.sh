#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# --export pprof: an independent reader finds the message sound, and its sums are those of the events, to the
# nanosecond: for every sample (CHECK_LEVEL=check: every third), with filters, for several traces, with hostile names.
# Its bytes are the same each time, and go tool pprof agrees, if installed.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh

report=${BUILD:-build}/rwalker-report
[[ -x $report ]] || { echo "not ok pprof - '$report' is not built"; exit 1; }
command -v python3 >/dev/null || { echo "skip pprof - 'python3' is not installed"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

sums=0
# same NAME TRACE OPTION...: the checker prints how many sums it has compared.
same()
{
	local found
	found=$(tests/golden/pprof_check.py "$report" "${@:2}" 2>"$scratch/err")
	verdict "$1" "$(tail -n 1 "$scratch/err")" [ -n "$found" ]
	sums=$((sums + ${found:-0}))
}

for trace in $(some_samples 0); do
	same "$(basename "$(dirname "$trace")")" "$trace"
done
verdict sums_are_many "$sums" [ $sums -gt 500 ]
waits=samples/waits/trace.rwk
same user_only $waits -U
same kernel_only $waits -K
same class $waits --class blocked
same time $waits --time 0,1
same comm $waits -c miller
same source $waits --source wakers
sums=0
same several samples/cpu_paths/trace.rwk $waits samples/probes/trace.rwk
verdict several_are_all "$sums" [ $sums -gt 100 ]
for i in 1 2; do
	"$report" --no-local-files --export pprof $waits -o "$scratch/$i.pb.gz" 2>/dev/null
done
verdict same_bytes 'they differ' cmp "$scratch/1.pb.gz" "$scratch/2.pb.gz"
# pprof takes the first mapping for the program: the one that ran most, not a library, whichever came first.
first=$("$report" --no-local-files --export pprof samples/cpu_paths/trace.rwk | tests/golden/pprof_check.py --first-mapping)
verdict first_mapping "$first" [ "${first##*/}" = cpu_paths ]
[ $failures = 0 ]
