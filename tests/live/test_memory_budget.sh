#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# --max-memory: the memory of recorder, helpers, dumps and BPF programs, as counted by the kernel, stays below the
# plan, and the plan below the budget, while processes and waits come as fast as they can (at the check level in
# bursts) and dumps are made. A plan that does not fit is refused.
. "$(dirname "$0")/lib.sh"

need_recording
need_tool python3

has_dumps() { [ "$(ls "$scratch/$1"-*.rwk 2>/dev/null | wc -l)" -ge "$2" ]; }
has_looked() { [ -e "$scratch/$1.gate.looked" ]; }
planned() { awk '$1 == "all" { print $NF }' "$1"; }

load() {
	start bash -c "while :; do sh -c 'sort /etc/services | uniq -c | tail -1' >/dev/null; $rest; done" "$scratch/never"
	start bash -c "while :; do '$workloads/waits' ring 40 $(at_level 20000 100000) >/dev/null; $rest; done" "$scratch/never"
}
rest=$(at_level 'read -rt 0.15 <>"$0"' :)
dumps=$(at_level 2 3)

# within NAME BUDGET OPTIONS...
within() {
	local name=$1 budget=$2 number most looks plan
	shift 2
	"$record" "$@" --max-memory "$budget" --plan >"$scratch/$name.plan" || fail "$name: the plan does not fit"
	plan=$(planned "$scratch/$name.plan")
	check_number "$name: the plan" "$plan <= ${budget%M} && $plan > 10"
	begin_recorder "$name" "$@" --max-memory "$budget" --max-dumps 0 -o "$scratch/$name"
	touch "$scratch/$name.gate"
	python3 "$here/tests/live/outside.py" memory "$recorder" "$scratch/$name.gate" >"$scratch/$name.most" &
	for number in $(seq "$dumps"); do
		wait_for 60 has_looked "$name" || fail "$name: nobody looks"
		rm "$scratch/$name.gate.looked"
		sleep 1
		kill -USR2 "$recorder"
		wait_for 60 has_dumps "$name" "$number" || fail "$name: dump $number was not made"
	done
	wait_for 60 has_looked "$name" || fail "$name: nobody looks"
	rm "$scratch/$name.gate"
	wait $!
	read -r most looks <"$scratch/$name.most"
	kill -INT "$recorder"
	wait "$recorder"
	check_number "$name: looks" "$looks >= 3"
	check_number "$name: took $most MB of the planned $plan" "$most > 10 && $most <= $plan"
	echo "# $name: at most $most MB, planned $plan, in $looks looks"
}

test_refused() {
	run_code refused 2 "$record" --flight 60s,64M -p 0 --max-memory 64M -o "$scratch/refused"
	check "the sum is said" grep -q "this recording needs [0-9.]* MB at least, of which [0-9.]* MB are for 'window of --flight'" \
		"$scratch/refused.err"
	check_equal "no dump was made" "" "$(find "$scratch" -name 'refused*.rwk')"
	run_code small 2 "$record" --offcpu 1 --dwarf --ringbuf-size 64 --max-memory 100M -o "$scratch/small.rwk"
	check "rings are named" grep -q "for 'rings for samples, waits and hits'" "$scratch/small.err"
	run_ok small_plan "$record" --offcpu 1 --dwarf --ringbuf-size 8 --plan
	check "rings as given" grep -q '^rings for samples, waits and hits .* 8\.012 ' "$scratch/small_plan.out"
}

# Threads that come later have room as planned, and no more: their waits are lost, and counted.
test_threads() {
	local room
	room=$("$record" --offcpu 60 --max-memory 128M --plan | awk '/^entries of threads/ { print $4 }')
	begin_recorder threads --offcpu 60 -m 0 -c '^threads$' --max-memory 128M -o "$scratch/threads.rwk"
	start sh -c 'exec "$1" threads "$2" <>"$3"' sh "$workloads/sleepers" $((room + 1000)) "$scratch/never" >"$scratch/threads.out"
	wait_for 60 grep -q ready "$scratch/threads.out" || die "the threads do not start"
	kill "$started"
	end_recorder "threads beyond the plan" 3
	run_code threads_info 3 "$report" --info "$scratch/threads.rwk"
	check "why events are lost" grep -q "no room for the task's entry" "$scratch/threads_info.out"
}

test_small_stack() { (ulimit -s 128 && run_ok stack "$record" --offcpu 0.1 -p 0.1 -a -u -o "$scratch/stack.rwk"); }

test_refused
test_small_stack
test_threads
load
within flight 128M --flight 60s --offcpu 0 --wakers -m 0 -u -p 0 -f 499
within snapshots 192M --flight 60s --offcpu 0 --dwarf --dwarf-size 16384 -p 0 -f 499
finish
