#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# --trigger: stalls made on purpose fire soon, and the dump has their earlier cause; a rule that cannot fire is
# reported at the start; what would fire during the cooldown makes no other dump; commands run.
. "$(dirname "$0")/lib.sh"

need_recording
need_tool flock

# begin NAME OPTIONS...: starts a recorder with a window of 20 seconds.
begin() {
	local name=$1
	shift
	begin_recorder "$name" --flight 20s,16M -p 0 -f 99 --offcpu 0 --wakers -u "$@" -o "$scratch/$name"
	sleep 1
}

first() { ls "$scratch/$1"-*.rwk 2>/dev/null | head -1; }
has_first() { [ -n "$(first "$1")" ]; }

# made NAME RULE: the first dump was made for this rule.
made() {
	wait_for 20 has_first "$1" || { fail "$1: no dump was made"; cat "$scratch/$1.err" >&2; return; }
	"$report" --no-local-files --info "$(first "$1")" >"$scratch/$1.info"
	check "$1: made for $2" grep -qF "made for        $2" "$scratch/$1.info"
}

# A process holds a lock for three seconds. The dump has its name from before the rule fired.
test_lock() {
	local ended made
	begin lock --trigger 'wait:comm=/^flock$/>2s'
	start flock "$scratch/lock.file" sleep 3
	sleep 0.3
	flock "$scratch/lock.file" true
	ended=$(date +%s%N)
	made lock 'wait:comm=/^flock$/>2s, flock'
	made=$(($(stat -c %.Y "$(first lock)" | tr -d .) / 1000000000))
	check_number "lock: seconds until the dump" "$made - $ended / 1e9 < 10"
	end_recorder lock
	check "lock: the wait is there" grep -q 'flock' <("$report" --no-local-files --top-waits "$(first lock)")
	check "lock: who held it is there" grep -q 'sleep' <("$report" --no-local-files --chains -c '^flock$' "$(first lock)")
}

# The rule fires while the thread is stuck, and the dump has the thread's stack. A parent in vfork(), which is in D by
# design, has been so for longer.
test_stuck() {
	begin stuck --trigger 'stuck:D>1500ms'
	start "$workloads/sleepers" vfork
	start "$workloads/sleepers" stuck 60
	made stuck 'stuck:D>1500ms, stuck_parent'
	check "stuck: it still is" kill -0 "$started"
	check "stuck: whose it is" grep -q " trigger .* tgid=$started tid=$started comm=\"stuck_parent\"" \
		<("$report" --dump "$(first stuck)" 2>/dev/null)
	check "stuck: its stack is there" grep -q 'process_vm' <("$report" --tasks -c '^stuck_parent$' "$(first stuck)")
	check "stuck: a parent in vfork() waits for its child" grep -q '^comm vfork_parent .* state D .*vfork child' \
		<("$report" --tasks -c '^vfork_parent$' "$(first stuck)")
	kill -KILL "$started"
	end_recorder stuck
}

has_run() { [ -s "$scratch/told" ]; }

test_commands() {
	begin exec --trigger "exec:'test -e $scratch/flag'/1s" --on-dump "echo \$RWALKER_DUMP >>$scratch/told" --cooldown 1m
	check "a command that fails fires nothing" [ -z "$(first exec)" ]
	touch "$scratch/flag"
	made exec "exec:'test -e"
	check "the command after a dump was run" wait_for 10 has_run
	check_equal "with its name" "$(first exec)" "$(head -1 "$scratch/told")"
	sleep 2.5
	end_recorder exec
	check_equal "during the cooldown none is made" 2 "$(find "$scratch" -name 'exec-*' | wc -l)"
	check "but what would have made one is counted" grep -q 'in this time made no dump' \
		<("$report" --no-local-files --info "$scratch"/exec-*.rwk)
}

# Under pressure from the start: a dump has everything it was made for.
test_pressure() {
	local i others='' fired
	[ -w /proc/pressure/cpu ] || { echo "# not run: this kernel has no pressures"; return; }
	for i in $(seq $((3 * $(online_cpus)))); do
		start sh -c 'while :; do :; done'
		others="$others $started"
	done
	begin psi --trigger 'psi:cpu.some>10%/2s'
	wait_for 60 has_first psi
	# shellcheck disable=SC2086 # one word each
	kill $others
	made psi 'psi:cpu.some>10%/2s'
	"$report" --dump "$(first psi)" >"$scratch/psi.records" 2>/dev/null
	fired=$(sed -n 's/^ *trigger time=\([0-9]*\) dump=1 .*/\1/p' "$scratch/psi.records" | head -1)
	check_number "psi: the window is in the recording" \
		"$fired - $(sed -n 's/^ *source .* start=\([0-9]*\) .*/\1/p' "$scratch/psi.records" | sort -n | head -1) >= 1.9e9"
	end_recorder psi
}

# never RULE OPTIONS...: the recorder says at the start that the rule cannot fire.
never() {
	local rule=$1
	shift
	timeout -s INT 20 "$record" --flight 5s,8M "$@" --trigger "$rule" -d 0.1 -o "$scratch/never" 2>"$scratch/never.err"
	check "never: $rule" grep -qF -- "--trigger '$rule' can never fire" "$scratch/never.err"
}

test_lock
test_stuck
test_commands
test_pressure
never 'wait>1s' -p 0
never 'wait>50us' --offcpu 0
never 'cpu:no-such-cgroup>80%/5s' -p 0
finish
