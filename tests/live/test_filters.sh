#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Who is recorded: --pid --tid -c --cgroup --user-threads --kernel-threads -P, and the
# same questions asked of the reporter afterwards.
. "$(dirname "$0")/lib.sh"

cgroup=
f=$scratch/f.folded

cleanup_cgroup() {
	[ -n "$cgroup" ] && [ -d "$cgroup" ] || return
	kill "$pid_grouped" 2>/dev/null
	wait "$pid_grouped" 2>/dev/null
	rmdir "$cgroup"
}
trap 'cleanup_cgroup; cleanup' EXIT

start_burners() {
	start taskset -c 0 "$workloads/burn" b_zero 300; pid_zero=$started
	start taskset -c 1 "$workloads/burn" b_one 300; pid_one=$started
	start "$workloads/cpu_paths" 300 >/dev/null; pid_paths=$started
	start "$workloads/burn" 'b grouped' 300 kernel; pid_grouped=$started
	sleep 0.3
	tid_thread=$(grep -l cpu_thread /proc/"$pid_paths"/task/*/comm | sed 's|.*/task/||; s|/comm||')
}

# record_comms OPTION...: records a second; the comms seen, in one line.
record_comms() {
	run_ok f "$record" --force -p 1 -u -f 999 --embed none -o "$scratch/f.rwk" "$@" || return
	folded "$scratch/f.rwk" >"$f"
	folded_comms "$f" | paste -sd' '
}

test_pid() {
	check_equal "--pid" b_zero "$(record_comms --pid "$pid_zero")"
	check_equal "--pid of two" "b_one b_zero" "$(record_comms --pid "$pid_zero,$pid_one")"
	check_equal "--pid takes all threads" "cpu_paths cpu_thread" "$(record_comms --pid "$pid_paths")"
}

test_tid() {
	check_equal "--tid of one thread" cpu_thread "$(record_comms --tid "$tid_thread")"
	check_equal "--tid of the first thread" cpu_paths "$(record_comms --tid "$pid_paths")"
}

test_command() {
	check_equal "-c b_one" b_one "$(record_comms -c b_one)"
	check_equal "-c with a regular expression" "b_one b_zero" "$(record_comms -c '^b_(one|z.*)$')"
	check_equal "-c is not anchored" "cpu_paths cpu_thread" "$(record_comms -c pu_)"
	check_equal "-c with a space" "b grouped" "$(record_comms -c 'b [a-z]+')"
	run_code bad 2 "$record" --force -p 1 -o "$scratch/bad.rwk" -c '(unclosed'
}

test_cgroup() {
	local base
	base=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$base" ] || { echo "not run: no cgroup2 mount for --cgroup"; return; }
	cgroup=$base/rwalker-test-$$
	mkdir "$cgroup" && echo "$pid_grouped" >"$cgroup/cgroup.procs" || die "cannot make a cgroup"
	check_equal "--cgroup" "b grouped" "$(record_comms --cgroup "$cgroup")"
}

# Kernel threads are made busy by writing; what is seen must have no user memory.
kernel_thread_comms() {
	local stat
	for stat in /proc/[0-9]*/stat; do
		awk '{ sub(/^[0-9]+ \(/, ""); comm = $0; sub(/\) .*/, "", comm); sub(/.*\) /, "")
		       if (int($7 / 2097152) % 2) print comm }' "$stat" 2>/dev/null
	done | sort -u
}

write_a_lot() {
	while dd if=/dev/zero of="$scratch/dirty" bs=1M count=200 conv=fsync status=none; do :; done
}

test_thread_kinds() {
	local comms strangers
	start write_a_lot
	kernel_thread_comms | cut -c1-15 >"$scratch/kthreads"
	comms=$(record_comms --user-threads)
	check "--user-threads sees the burners" grep -q 'b_one b_zero' <<<"$comms"
	strangers=$(folded_comms "$f" | grep -E '^(kworker|ksoftirqd|rcu_|kswapd|migration)/?')
	check_equal "kernel threads with --user-threads" "" "$strangers"
	record_comms --kernel-threads >/dev/null
	check_number "samples of kernel threads" "$(folded_sum "$f") > 0"
	strangers=$(folded_comms "$f" | grep -vE '^(kworker|jbd2|ksoftirqd|rcu|kswapd|migration|kcompactd)' |
		grep -vxF -f "$scratch/kthreads")
	check_equal "user threads with --kernel-threads" "" "$strangers"
	kill "$started"
}

test_cpus() {
	record_comms -P 0 >/dev/null
	check_number "-P 0 sees the burner on CPU 0" "$(folded_sum "$f" '^b_zero;') > 10"
	check_equal "-P 0 does not see the burner on CPU 1" 0 "$(folded_sum "$f" '^b_one;')"
	run_code bad 2 "$record" --force -p 1 -o "$scratch/bad.rwk" -P 0-
	"$record" --force -p 1 -o "$scratch/bad.rwk" -P 4095 2>/dev/null
	check_number "exit code for CPUs that do not exist" "$? != 0"
}

# The reporter's filters on one trace of everything give what the recorder's gave.
test_reporter_filters() {
	record_comms >/dev/null
	local t=$scratch/f.rwk
	check_equal "report -c" b_one "$(folded "$t" -c '^b_one$' | folded_comms /dev/stdin)"
	check_equal "report --pid" "cpu_paths cpu_thread" \
		"$(folded "$t" --pid "$pid_paths" | folded_comms /dev/stdin | paste -sd' ')"
	check_equal "report --tid" cpu_thread "$(folded "$t" --tid "$tid_thread" | folded_comms /dev/stdin)"
	check_equal "report -P 0: CPU 1" 0 "$(folded "$t" -P 0 | folded_sum /dev/stdin '^b_one;')"
	check_number "report -P 0: CPU 0" "$(folded "$t" -P 0 | folded_sum /dev/stdin '^b_zero;') > 10"
}

need_recording
need_tool taskset
[ "$(nproc)" -ge 2 ] || skip "needs two CPUs"
start_burners
test_pid
test_tid
test_command
test_cgroup
test_thread_kinds
test_cpus
test_reporter_filters
finish
