#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Task walks: a task held in D by vfork is found by the default walk, by -w and by -s,
# with its wait; who runs is marked as running; sleepers only when asked for.
. "$(dirname "$0")/lib.sh"

monotonic_ns() { awk '{ printf "%.0f\n", $1 * 1e9 }' /proc/uptime; }

start_tasks() {
	: >"$scratch/stuck.out"
	"$workloads/stuck" 120 1 >"$scratch/stuck.out" &
	children="$children $!"
	start "$workloads/burn" walked_burner 600
	start sleep 600
	start sleep 601; kill -STOP "$started"; pid_stopped=$started
	wait_for 10 grep -q ^stuck "$scratch/stuck.out" || die "the stuck workload does not start"
	read -r _ pid_stuck since <"$scratch/stuck.out"
	children="$children $(pgrep -P "$pid_stuck")"
}

# walk NAME OPTION...: a walk and its --tasks view.
walk() {
	local name=$1
	shift
	run_ok "$name" "$record" -o "$scratch/$name.rwk" "$@" || return
	"$report" --tasks "$scratch/$name.rwk" >"$scratch/$name.tasks"
}

# task_line NAME PID: the head line of a task, "comm ... pid N state X wait S ...".
task_line() { grep -E "pid $2 " "$scratch/$1.tasks" | head -1; }

# The wait that was printed against the clock, at the moment of the walk.
check_wait() { # NAME BEFORE_NS AFTER_NS
	local wait
	wait=$(task_line "$1" "$pid_stuck" | sed -nE 's/.* wait [^0-9]*([0-9.]+).*/\1/p')
	check_number "$1: wait ${wait:-missing} of $(((($2 - since) / 1000000))) ms" \
		"${wait:-0} > ($2 - $since) / 1e9 - 0.1 && ${wait:-0} < ($3 - $since) / 1e9 + 0.1"
}

test_default_walk() {
	local before after
	sleep 2
	before=$(monotonic_ns)
	walk plain
	after=$(monotonic_ns)
	check "the stuck task is in D" grep -qE 'state D ' <<<"$(task_line plain "$pid_stuck")"
	check_wait plain "$before" "$after"
	check "its stack" grep -q kernel_clone "$scratch/plain.tasks"
	check "the burner is there" grep -qE 'walked_burner.*state R' "$scratch/plain.tasks"
	check "the sleepers are not" eval "! grep -qE 'state (S|I|T)' '$scratch/plain.tasks'"
}

# Tasks in /proc, but for those of a process 1 that the machine hides even from root.
task_ids() {
	local hidden=-
	cat /proc/1/maps >/dev/null 2>&1 || hidden='^/proc/1/'
	printf '%s\n' /proc/[0-9]*/task/[0-9]* | grep -v -- "$hidden" | sed 's|.*/||' | sort
}

test_all() {
	local missing
	task_ids >"$scratch/before"
	walk all -a
	task_ids >"$scratch/after"
	check "a sleeper" grep -qE 'sleep .*state S ' "$scratch/all.tasks"
	check "a stopped task" grep -qE 'state T ' <<<"$(task_line all "$pid_stopped")"
	check "an idle kernel thread" grep -qE 'state I ' "$scratch/all.tasks"
	sed -nE 's/^comm .* pid ([0-9]+) state .*/\1/p' "$scratch/all.tasks" | sort >"$scratch/seen"
	missing=$(comm -12 "$scratch/before" "$scratch/after" | comm -23 - "$scratch/seen" | paste -sd' ')
	check_equal "tasks that were there all the time and are not in the walk" "" "$missing"
}

test_running() {
	walk running -r
	check "the burner" grep -q 'walked_burner.*state R' "$scratch/running.tasks"
	check "the stuck task is not there" [ -z "$(task_line running "$pid_stuck")" ]
}

test_waiting() {
	walk waiting -w 1
	check "waits over 1 s: the stuck task" [ -n "$(task_line waiting "$pid_stuck")" ]
	walk too_long -w 3600
	check "waits over an hour: not the stuck task" [ -z "$(task_line too_long "$pid_stuck")" ]
}

test_stuck() {
	local from
	from=$(date +%s)
	walk stuck -s
	check_number "-s stops at the first" "$(date +%s) - $from < 5"
	check "-s finds the task" [ -n "$(task_line stuck "$pid_stuck")" ]
	check "-s prints its verdict" grep -q stuck_parent "$scratch/stuck.err"
}

test_interval() {
	local walks
	walk interval -i 1 -C 3
	walks=$("$report" --dump "$scratch/interval.rwk" | grep -c stuck_parent)
	check_number "three walks saw the task: $walks" "$walks >= 3"
}

# A task on a CPU has no stack to walk, and must not get a stale one.
test_running_is_marked() {
	local burner
	burner=$(grep -A2 'walked_burner' "$scratch/all.tasks")
	check "a running task is marked, or it waits in the run queue" \
		grep -qE 'running on CPU|asm_sysvec|schedule|irqentry|preempt' <<<"$burner"
}

need_recording
start_tasks
test_default_walk
test_all
test_running
test_waiting
test_stuck
test_interval
test_running_is_marked
finish
