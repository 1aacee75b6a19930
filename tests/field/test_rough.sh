#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# time-limit: 900
# A host in bad shape: three other recorders and a load of ten at once; a recorder that was stopped for six seconds
# while processes were created and exited. The figures are right nevertheless, or the trace says from when to when
# they are not.
. "$(dirname "$0")/lib.sh"

start_load() {
	local i
	for i in 1 2 3 4 5 6 7 8 9 10; do start "$workloads/burn" "rough_load$i" 600; done
}

start_recorders() {
	start perf record -q -a -g -F 499 --buildid-mmap -o "$scratch/other.data" -- sleep 600
	start "$record" -p 600 --offcpu 600 --wakers -u --force -o "$scratch/other.rwk" 2>"$scratch/other.err"
	start "$(command -v offcputime || echo /usr/sbin/offcputime)" 600 >"$scratch/other.txt" 2>&1
	wait_for 60 test -s "$scratch/other.rwk" || die "the other recorder does not start"
}

end_all() {
	local pid
	for pid in $children; do kill -KILL "$pid" 2>/dev/null; done
	wait 2>/dev/null
	children=
}

# Meanwhile: the CPU time of known functions, and waits whose lengths the program measures itself.
test_crowd() {
	start_load
	start_recorders
	run_ok cpu "$record" -u -p 0 -o "$scratch/cpu.rwk" -- "$workloads/cpu_paths" 5
	folded "$scratch/cpu.rwk" -c '^cpu_(paths|thread)$' >"$scratch/cpu.folded"
	check_truth "$scratch/cpu.folded" "$scratch/cpu.out" 3
	figure "beside three recorders and a load of ten: $(folded_sum "$scratch/cpu.folded") samples, shares within 3 points of the program's own"
	record_waits crowd '--wakers -u' chain 20
	check_waits crowd brackets comms chains wakers:chain-a=chain-b,chain-b=chain-c,chain-c=timer
	end_all
}

# apple, berry and cherry have the same layout: a wrong mapping shows as a wrong name.
check_fruit() {
	local fruit wrong=0 right=0
	for fruit in apple berry cherry; do
		right=$((right + $(folded_sum "$scratch/$1.folded" "^churn_$fruit;.*;burn_$fruit(;| )")))
		wrong=$((wrong + $(grep -v "^churn_$fruit;" "$scratch/$1.folded" | folded_sum - ";burn_$fruit(;| )")))
	done
	figure "$1: $right samples under the right name, $wrong under a wrong one"
	check_number "$1: samples with names" "$right > 200"
	check_equal "$1: samples under a wrong name" 0 "$wrong"
}

test_stopped() {
	start "$record" -u -p 0 --offcpu 0 --force -o "$scratch/stopped.rwk" 2>"$scratch/stopped.err"
	recorder=$started
	wait_for 60 test -s "$scratch/stopped.rwk" || die "the recorder does not start"
	"$workloads/churn" 100 3 >/dev/null
	kill -STOP "$recorder"
	timeout 6 "$workloads/churn" 1000000 3 >/dev/null
	kill -CONT "$recorder"
	"$workloads/churn" 500 3 >/dev/null
	kill -INT "$recorder"
	wait "$recorder"
	stopped=$?
	check_number "it ended with 0 or 3: $stopped" "$stopped == 0 || $stopped == 3"
	"$report" --info "$scratch/stopped.rwk" >"$scratch/stopped.info" 2>&1
	check "no damage" grep -q 'no damage was found' "$scratch/stopped.info"
	folded "$scratch/stopped.rwk" --source cpu >"$scratch/stopped.folded"
	check_fruit stopped
	figure "stopped for 6 s: $(grep -E '^ *lost ' "$scratch/stopped.info" | tr -s ' ' | head -3 | paste -sd';')"
}

need_offcpu
need_tool perf
test_crowd
test_stopped
finish
