#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# What of a new thread's start was waiting for a CPU, against the kernel's own account: not the time before it was put on a run queue, in
# which who made it was held up. One by one, summed up, and of one that has not run when the recording ends.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/waits_lib.sh"

need_offcpu
late=60 # ms

# The recorder waits for the end of its command after that of the recording.
judge() { # NAME LEAST : starts of that length have records of their own
	start "$record" --force --offcpu 0 -m "$2" -o "$scratch/$1.rwk" -- "$workloads/newborn" "$(at_level 5 40)" $late \
		>"$scratch/$1.out" 2>"$scratch/$1.err"
	wait_for 120 grep -q ready "$scratch/$1.out" || die "the workload is not ready"
	kill -INT "$started"
	wait_for 60 ended_in_order "$scratch/$1.rwk" || fail "$1: the recording does not end"
	grep ^newborn "$scratch/$1.out" >"$scratch/$1.truth" # the last child runs when its maker is killed
	kill -KILL "$(sed -n 's/^process //p' "$scratch/$1.out")"
	wait "$started"
	check_equal "$1: exit code, of a command that was killed" 137 $?
	judged python3 -B "$here/tests/live/newborn_check.py" "$scratch/$1.rwk" "$scratch/$1.truth" $late
}

ended_in_order() { "$report" --no-local-files --info "$1" 2>/dev/null | grep -q '^  ended  *in order'; }

judge told 1ms
judge summed 500ms
finish
