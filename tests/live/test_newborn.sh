#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# The part of a new thread's start in which it waited for a CPU, compared with the kernel's own account. It does not
# include the time before the thread was put on a run queue, while its creator was held up. For single starts, for
# sums, and for a thread that has not run when the recording ends.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/waits_lib.sh"

need_offcpu
late=60 # ms

# After the recording ends, the recorder waits until its command exits.
judge() { # NAME LEAST : starts of that length have records of their own
	start "$record" --force --offcpu 0 -m "$2" -o "$scratch/$1.rwk" -- "$workloads/newborn" "$(at_level 5 40)" $late \
		>"$scratch/$1.out" 2>"$scratch/$1.err"
	wait_for 120 grep -q ready "$scratch/$1.out" || die "the workload is not ready"
	kill -INT "$started"
	wait_for 60 ended_in_order "$scratch/$1.rwk" || fail "$1: the recording does not end"
	grep ^newborn "$scratch/$1.out" >"$scratch/$1.truth" # the last child runs once its parent is killed
	kill -KILL "$(sed -n 's/^process //p' "$scratch/$1.out")"
	wait "$started"
	check_equal "$1: exit code, of a command that was killed" 137 $?
	judged python3 -B "$here/tests/live/newborn_check.py" "$scratch/$1.rwk" "$scratch/$1.truth" $late
}

ended_in_order() { "$report" --no-local-files --info "$1" 2>/dev/null | grep -q '^  ended  *in order'; }

judge told 1ms
judge summed 500ms
finish
