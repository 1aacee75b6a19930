#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The filters of the recorder: --pid --tid -c --cgroup --user-threads --kernel-threads -P.
. "$(dirname "$0")/lib.sh"

f=$scratch/f.folded

all_are_called() {
	[ "$(cat /proc/{"$pid_zero","$pid_one","$pid_paths","$pid_grouped"}/task/*/comm 2>/dev/null | sort | paste -sd,)" = \
		'b grouped,b_one,b_zero,cpu_paths,cpu_thread' ]
}

start_burners() {
	start taskset -c "$cpu_zero" "$workloads/burn" b_zero 300 user 3; pid_zero=$started
	start taskset -c "$cpu_one" "$workloads/burn" b_one 300 user 3; pid_one=$started
	start "$workloads/cpu_paths" 300 8 >/dev/null; pid_paths=$started
	start "$workloads/burn" 'b grouped' 300 kernel 3; pid_grouped=$started
	wait_for 60 all_are_called || die "the burners do not start"
	tid_thread=$(grep -l cpu_thread /proc/"$pid_paths"/task/*/comm | sed 's|.*/task/||; s|/comm||')
}

# record_for OPTION... SECONDS: records, and writes the folded stacks to $f.
record_for() {
	recorded f "$record" --force -p "${!#}" -u -f 3999 --embed none -o "$scratch/f.rwk" "${@:1:$#-1}" || return
	folded "$scratch/f.rwk" --no-local-files >"$f" # names of threads are enough
}

# sees_comms COMM,... OPTION... SECONDS: records; true if each comm was seen, or any other one.
sees_comms() {
	local wanted
	wanted=$(tr , '\n' <<<"$1")
	record_for "${@:2}" || return
	[ -z "$(comm -13 <(folded_comms "$f") - <<<"$wanted")" ] || [ "$(folded_comms "$f" | comm -23 - <(echo "$wanted"))" ]
}

# check_comms WHAT COMM,... OPTION...: exactly these comms are recorded.
check_comms() {
	growing 0.4 sees_comms "${@:2}"
	check_equal "$1" "$2" "$(folded_comms "$f" | paste -sd,)"
}

# sees LEAST 'ERE...' OPTION... SECONDS: records; true if each ERE matches stacks of that many samples.
sees() {
	local ere
	record_for "${@:3}" || return
	for ere in $2; do [ "$(folded_sum "$f" "$ere")" -ge "$1" ] || return; done
}

test_pid() {
	check_comms "--pid of two" b_one,b_zero --pid "$pid_zero,$pid_one"
	check_comms "--pid takes all threads" cpu_paths,cpu_thread --pid "$pid_paths"
}

test_tid() { check_comms "--tid of one thread" cpu_thread --tid "$tid_thread"; }

test_command() {
	check_comms "-c with a regular expression" b_one,b_zero -c '^b_(one|z.*)$'
	check_comms "-c is not anchored" cpu_paths,cpu_thread -c 'pu_(p|t)'
	check_comms "-c with a space" "b grouped" -c 'b [a-z]+'
	run_code bad 2 "$record" --force -p 1 -o "$scratch/bad.rwk" -c '(unclosed'
	check "the expression is named" grep -qF '(unclosed' "$scratch/bad.err"
}

test_cgroup() {
	cgroup_of filters "$pid_grouped" || return
	check_comms "--cgroup" "b grouped" --cgroup "$cgroup"
}

# Kernel threads are made busy by writing; the samples must have no user frames.
kernel_thread_comms() {
	cat /proc/[0-9]*/stat 2>/dev/null | awk '{ sub(/^[0-9]+ \(/, ""); comm = $0; sub(/\) .*/, "", comm); sub(/.*\) /, "")
		if (int($7 / 2097152) % 2) print comm }' | sort -u
}

write_a_lot() {
	while dd if=/dev/zero of="$scratch/dirty" bs=1M count=20 conv=fsync status=none; do :; done
}

test_thread_kinds() {
	local strangers
	start write_a_lot
	kernel_thread_comms | cut -c1-15 >"$scratch/kthreads"
	growing 0.4 sees 1 '^b_one; ^b_zero;' --user-threads
	check_number "--user-threads sees one burner" "$(folded_sum "$f" '^b_one;') > 0"
	check_number "--user-threads sees the other one" "$(folded_sum "$f" '^b_zero;') > 0"
	strangers=$(folded_comms "$f" | grep -E '^(kworker|ksoftirqd|rcu_|kswapd|migration)/?')
	check_equal "kernel threads with --user-threads" "" "$strangers"
	growing 0.4 sees 1 . --kernel-threads # they run only briefly
	check_number "samples of kernel threads" "$(folded_sum "$f") > 0"
	strangers=$(folded_comms "$f" | grep -vE '^(kworker|jbd2|ksoftirqd|rcu|kswapd|migration|kcompactd)' |
		grep -vxF -f "$scratch/kthreads")
	check_equal "user threads with --kernel-threads" "" "$strangers"
	kill "$started"
}

test_cpus() {
	growing 0.4 sees 11 '^b_zero;' -P "$cpu_zero"
	check_number "-P sees the burner on its CPU" "$(folded_sum "$f" '^b_zero;') > 10"
	check_equal "-P does not see the burner on another CPU" 0 "$(folded_sum "$f" '^b_one;')"
	run_code bad 2 "$record" --force -p 1 -o "$scratch/bad.rwk" -P 0-
	check "the list is named" grep -qF '0-' "$scratch/bad.err"
	run_code bad 2 "$record" --force -p 1 -o "$scratch/bad.rwk" -P 4095
	check "the CPU is named" grep -q 4095 "$scratch/bad.err"
}

need_recording
need_tool taskset
{ read -r cpu_zero && read -r cpu_one; } < <(allowed_cpus) || skip "needs two CPUs"
start_burners
test_pid
test_tid
test_command
test_cgroup
test_thread_kinds
test_cpus
finish
