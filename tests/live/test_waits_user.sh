#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# User stacks of waits (workloads/waits_user.c): at known depths, in signal handlers, in page faults, preempted in
# user space, in processes that are killed, exec or exit. No system call of the host pays for them. More options at
# the long level.
# two tries: the workload reads clocks, which also stand still when the host takes the processor away.
. "$(dirname "$0")/lib.sh"

# right NAME 'OPTIONS': if a verdict is bad, the test records once more, at most three times. Once in 3,000 processes,
# on a kernel that hides threads, a wait before an exec was missing. That does not happen in three recordings in a
# row; a real fault does.
right() {
	local name=$1 options=$2 try
	for try in 1 2 3; do
		rm -f "$scratch/$name.rwk"
		# shellcheck disable=SC2086
		recorded "$name" "$record" --force --offcpu 0 $options -o "$scratch/$name.rwk" -- \
			"$workloads/waits_user" "$(at_level 20 200)" || return
		mv "$scratch/$name.out" "$scratch/$name.truth"
		python3 -B "$here/tests/live/waits_check.py" "$report" "$scratch/$name.rwk" "$scratch/$name.truth" user-stacks \
			>"$scratch/$name.verdicts" 2>&1 || { judged false; return; }
		grep -q '^no ' "$scratch/$name.verdicts" || break
		sed -n "s/^no /# $name, recording $try: /p" "$scratch/$name.verdicts"
	done
	echo "# $name: $("$report" --tree -q "$scratch/$name.rwk" 2>&1 | grep 'without a user stack')"
	judged cat "$scratch/$name.verdicts"
}

# Lists the BPF programs that the recorder holds while it records: its command examines its parent.
cat >"$scratch/programs.sh" <<'END'
numbers=$(cat /proc/$PPID/fdinfo/* 2>/dev/null | awk '$1 == "prog_id:" { print $2 }' | sort -u | paste -sd'|')
bpftool prog show | grep -E "^($numbers): "
END

# hooks NAME 'OPTIONS': system calls are hooked if and only if the recorder says so.
hooks() {
	local name=$1 options=$2 said=0 there=0
	# shellcheck disable=SC2086
	recorded "$name" "$record" --force --offcpu 0 $options -o "$scratch/$name.rwk" -- sh "$scratch/programs.sh" || return
	check "$name: '$options' has programs" grep -q 'name wait_switch ' "$scratch/$name.out"
	lacks 'when system calls return' "$scratch/$name.err" || said=1
	lacks 'name wait_sys_exit ' "$scratch/$name.out" || there=1
	check_equal "$name: '$options' says that system calls are hooked" "$there" "$said"
}

no_hook() { check "$1: no system call of the host is hooked" test_no_hook "$scratch/$1.out"; } # NAME

test_no_hook() { lacks 'name wait_sys_exit ' "$1"; }

test_hooks() {
	hooks plain ''
	no_hook plain
	[ "$level" = check ] || { hooks all_plain '-m 0' && no_hook all_plain; }
	hooks all '-m 0 --wakers -u'
	no_hook all
	hooks user '-u'
	hooks dwarf '--dwarf'
	[ "$level" = check ] || { hooks wakers '--wakers -u' && hooks all_dwarf '-m 0 --dwarf'; }
	# Only if the kernel offers another way.
	grep -q 'bpf_task_work_schedule_resume' /proc/kallsyms || [ -e /sys/bus/event_source/devices/kprobe ] || return
	no_hook user
	[ "$level" = check ] || no_hook wakers
	no_hook dwarf
}

need_offcpu
need_tool bpftool
right user '-u'
right all '-m 0 --wakers -u'
right dwarf '--dwarf'
test_hooks
finish
