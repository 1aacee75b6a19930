#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# Why threads are off the CPU without being asleep, and the account of all their time: running, run queue and blocked
# compared with the kernel's own figures (/proc/PID/task/TID/schedstat), with every wait recorded and with short ones
# summed.
# two tries: the workload reads clocks, which also stand still when the host takes the processor away.
. "$(dirname "$0")/lib.sh"

test_spin() {
	record_waits spin '-u --wakers' spin "$(at_level 2 20)" || return
	check_waits spin spin
}

test_yield() {
	record_waits yield '' yield "$(at_level 0.5 5)" || return
	check_waits yield yield
}

test_cancelled() {
	record_waits cancelled '-m 0 --wakers' cancel "$(at_level 0.5 5)" || return
	check_waits cancelled cancelled
}

test_account() {
	record_waits every '-m 0' mixed "$(at_level 1.5 20)" && check_waits every schedstat
	record_waits summed '-m 5000' mixed "$(at_level 1.5 20)" && check_waits summed schedstat least:5000
}

# --summary agrees with the events of each thread; time that it cannot account for is shown as such, and is little.
test_summary() {
	run_ok summary "$report" --summary "$scratch/every.rwk"
	check "--summary names the threads" grep -q mix-burn-3 "$scratch/summary.out"
	check_waits every summary
}

# Threads that are moved to another CPU while they sleep: since Linux 6.12 the kernel charges such a sleep to the run
# queue. The recorder does not, with and without wakers. Ends after so many sleeps that were charged.
test_moved() { # NAME 'OPTIONS' [at-wakeup]
	# shellcheck disable=SC2086 # the options are words
	recorded "$1" "$record" --force --offcpu 0 $2 -o "$scratch/$1.rwk" -- "$workloads/accounted" moved "$(at_level 60 400)" 5
	mv "$scratch/$1.out" "$scratch/$1.truth"
	check_waits "$1" "moved:${3-}"
}

# The part of a new thread's start in which it waited for a CPU does not include the time before the thread was put on a
# run queue, while its creator was held up: for single starts, for sums, and for a thread that has not run at the end.
# After the recording ends, the recorder waits until its command exits.
test_newborn() { # NAME LEAST : starts of that length have records of their own
	local late=60 # ms
	start "$record" --force --offcpu 0 -m "$2" -o "$scratch/$1.rwk" -- "$workloads/accounted" newborn "$(at_level 5 40)" $late \
		>"$scratch/$1.out" 2>"$scratch/$1.err"
	wait_for 120 grep -q ready "$scratch/$1.out" || die "the workload is not ready"
	kill -INT "$started"
	wait_for 60 ended_in_order "$scratch/$1.rwk" || fail "$1: the recording does not end"
	grep ^newborn "$scratch/$1.out" >"$scratch/$1.truth" # the last child runs once its parent is killed
	kill -KILL "$(sed -n 's/^process //p' "$scratch/$1.out")"
	wait "$started"
	check_equal "$1: exit code, of a command that was killed" 137 $?
	check_waits "$1" newborn:$late
}

ended_in_order() { "$report" --no-local-files --info "$1" 2>/dev/null | grep -q '^  ended  *in order'; }

need_offcpu
test_spin
test_yield
test_cancelled
test_account
test_summary
if [ "$(allowed_cpus | wc -l)" -ge 2 ]; then
	test_moved plain ''
	test_moved wakers '--wakers' at-wakeup
	test_moved all '-m 0'
else
	echo "# not run: a thread is moved from one CPU to another, two are needed"
fi
test_newborn told 1ms
test_newborn brief 500ms
finish
