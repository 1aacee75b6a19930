#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# Why threads are off the CPU without being asleep, and the account of all their time: running, run queue and blocked
# compared with the kernel's own figures (/proc/PID/task/TID/schedstat), with every wait recorded and with short ones
# summed.
# two tries: the workload reads clocks, which also stand still when the host takes the processor away.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/waits_lib.sh"

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

need_offcpu
test_spin
test_yield
test_cancelled
test_account
test_summary
finish
