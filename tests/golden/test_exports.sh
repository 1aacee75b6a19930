#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# Exports of every sample trace (CHECK_LEVEL=check: every third) and of several together, read by Python's own
# readers: their sums agree with --folded and with each other. Also with filters, with hostile names, and of an empty
# trace.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
export LC_ALL=C.UTF-8

build=$PWD/${BUILD:-build}
report=$build/rwalker-report
[[ -x $report ]] || { echo "not ok exports - '$report' is not built"; exit 1; }
command -v python3 >/dev/null || { echo "skip exports - 'python3' is not installed"; exit 77; }

# check NAME TRACE OPTION...
check()
{
	local said
	said=$(python3 tests/golden/exports_check.py "$report" "${@:2}" 2>&1)
	verdict "$1" "$(head -n 3 <<<"$said" | cut -c 1-300 | tr '\n' ' ')" [ -z "$said" ]
}

for trace in $(some_samples 0); do
	name=${trace#samples/}
	check "${name%/*}" "$trace"
done
check kernel_frames samples/waits/trace.rwk -K
check user_frames samples/waits/trace.rwk -U
check a_span samples/waits/trace.rwk --time 0.1,0.5
check a_comm samples/waits/trace.rwk -c '^w'
check a_class samples/waits/trace.rwk --class preempted
check a_process samples/cpu_paths/trace.rwk --pid 223
check one_source samples/probes/trace.rwk --source kfunc
# Wakeups without the waits that they ended: no arrow begins ("s") or ends ("f") there.
kinds=$("$report" --no-local-files --export chrome --source wakers samples/case_fsync/trace.rwk 2>/dev/null |
	grep -o '"ph":"[A-Za-z]"' | sort -u | tr -d '\n')
verdict only_wakers "events are $kinds" [ "$kinds" = '"ph":"M""ph":"X""ph":"i"' ]
check several samples/waits/trace.rwk samples/cpu_paths/trace.rwk samples/case_fsync/trace.rwk samples/probes/trace.rwk
# Names that try to look like something else, in every field of every source.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
number=0
while kind=$(tests/golden/hostile.sh "$scratch/t.rwk" $number); do
	check "hostile_$kind" "$scratch/t.rwk"
	((number++))
done
verdict hostile_names "$number kinds" [ $number -ge 8 ]
exit $((failures > 0))
