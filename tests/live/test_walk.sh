#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Task walks: the default walk, -w and -s find a task in D, with its wait;
# running tasks are marked as running; sleepers are shown only on request.
# two tries: whether a task runs is compared with what it says of itself a moment later.
. "$(dirname "$0")/lib.sh"

monotonic_ns() { awk '{ printf "%.0f\n", $1 * 1e9 }' /proc/uptime; }

start_tasks() {
	: >"$scratch/stuck.out"
	"$workloads/sleepers" stuck 600 1 >"$scratch/stuck.out" &
	children="$children $!"
	start "$workloads/burn" walked_burner 600; burner=$started
	start sleep 600
	start sleep 601; kill -STOP "$started"; pid_stopped=$started
	wait_for 60 grep -q ^stuck "$scratch/stuck.out" || die "the stuck workload does not start"
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

# Compares the printed wait with the clock at the time of the walk.
check_wait() { # NAME BEFORE_NS AFTER_NS
	local wait
	wait=$(task_line "$1" "$pid_stuck" | sed -nE 's/.* wait [^0-9]*([0-9.]+).*/\1/p')
	check_number "$1: wait ${wait:-missing} of $(((($2 - since) / 1000000))) ms" \
		"${wait:-0} > ($2 - $since) / 1e9 - 0.1 && ${wait:-0} < ($3 - $since) / 1e9 + 0.1"
}

# Whether the task has been stuck for 2 s.
is_old() { [ "$(monotonic_ns)" -ge $((since + 2000000000)) ]; }

test_default_walk() {
	local before after truth seen
	wait_for 60 is_old || die "the clock stands still"
	before=$(monotonic_ns)
	walk plain
	after=$(monotonic_ns)
	check "the stuck task is in D" grep -qE 'state D ' <<<"$(task_line plain "$pid_stuck")"
	check_wait plain "$before" "$after"
	check "its stack" grep -q process_vm "$scratch/plain.tasks"
	# The kernel leaves out the scheduler's own functions there.
	truth=$(sed 's/^\[<0>\] //; s/+0x.*//' "/proc/$pid_stuck/stack" | paste -sd' ')
	seen=$(awk -v head="pid $pid_stuck state" '/^ *comm / { on = index($0, head); next } !NF { on = 0 } on && $1 !~ /^\[/ { print $1 }' "$scratch/plain.tasks" | paste -sd' ')
	check "'$seen' ends as /proc/PID/stack: '$truth'" eval "[ '${truth:+there}' ] && [[ '$seen' = *'$truth' ]]"
	check "the burner is there" grep -qE 'walked_burner.*state R' "$scratch/plain.tasks"
	check "the sleepers are not" lacks -E 'state (S|I|T)' "$scratch/plain.tasks"
}

# Tasks in /proc, except those of a process 1 that the machine hides even from root.
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
	local found
	walk stuck -s
	check_equal "-s stops at the first of five looks" 1 \
		"$("$report" --dump "$scratch/stuck.rwk" | sed -nE 's/^ *walk .* number=([0-9]+) .*/\1/p' | sort -u | wc -l)"
	check "-s finds the task" [ -n "$(task_line stuck "$pid_stuck")" ]
	# Other tasks of this host may be stuck, too.
	found=$(sed -nE 's/.* stuck: .* \(tid ([0-9]+)\) in D for .*/\1/p' "$scratch/stuck.err" | head -n 1)
	check "-s prints its verdict, which is in the file" grep -q 'state D ' <<<"$(task_line stuck "${found:-of nobody}")"
}

test_interval() {
	local walks
	walk interval -i 1 -C 3
	walks=$("$report" --dump "$scratch/interval.rwk" | grep -c stuck_parent)
	check_number "three walks saw the task: $walks" "$walks >= 3"
}

burner_is_marked() { grep -A1 'walked_burner' "$scratch/marked.tasks" | grep -q 'running on CPU'; }

# A task on a CPU has no stack to walk, and must not get a stale one. The burner wants a CPU all the time; the walk needs
# one, too, and others may have the rest: walk until it is seen.
test_running_is_marked() {
	local try
	for try in {1..200}; do
		walk marked --force
		burner_is_marked && break
	done
	[ "$(nproc)" -eq 1 ] || check "a running task is marked, in one of $try walks" burner_is_marked
}

need_recording
start_tasks
test_default_walk
test_running
test_running_is_marked
kill "$burner"
test_all
test_waiting
test_stuck
test_interval
finish
