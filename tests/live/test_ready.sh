#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Which of several descriptors ended a wait for any of them, by epoll, poll and select, against what the calls returned: what is
# said is right, also of a descriptor that was given to another file meanwhile, and nothing is said of a wait that ran out of time.
# two tries: a wait is shorter than -m, and has no record, if the host takes the processor away from its thread before it.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/waits_lib.sh"

need_offcpu
rounds=$(at_level 80 1000)

recorded ready "$record" --force --offcpu 0 -m 500us -o "$scratch/ready.rwk" -- "$workloads/ready" "$rounds"
cp "$scratch/ready.out" "$scratch/ready.truth"
check_equal "the workload waited in twelve ways" 12 "$(cut -d' ' -f1 "$scratch/ready.truth" | sort -u | wc -l)"
judged python3 -B "$here/tests/live/ready_check.py" "$scratch/ready.rwk" "$scratch/ready.truth" "$rounds"

"$report" --events "$scratch/ready.rwk" >"$scratch/view" 2>/dev/null
check "--events says what was ready" grep -qE 'on epoll [0-9]+ of [^ ]+ [0-9]+ (→|->) fd [0-9]+, pipe:[0-9]+' "$scratch/view"
finish
