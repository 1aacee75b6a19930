#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Waits against the peers in the same run: totals per stack against libbpf-tools' offcputime within 2 %, and who woke whom
# against perf's sched_waking and sched_switch events: in task context each must be equal, the rest is listed by kind.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/waits_lib.sh"

offcputime=${OFFCPUTIME:-$(PATH=$PATH:/usr/sbin command -v offcputime)}

# A process that waits for a line on its input, so that both recorders are there before it, and then is the workload.
start_workload() { # NAME COMMAND ARGUMENT...
	local name=$1
	shift
	mkfifo "$scratch/$name.go"
	# shellcheck disable=SC2016
	start bash -c 'read -r _ <"$0"; exec "$@"' "$scratch/$name.go" "$@" >"$scratch/$name.truth"
	workload=$started
}

test_offcputime() {
	[ -n "$offcputime" ] || { echo "not run: offcputime is not installed (package libbpf-tools)"; return; }
	local seconds
	seconds=$(at_level 3 20)
	start_workload peer "$workloads/waits" sleeps "$seconds" 60
	start "$offcputime" -p "$workload" -m 1000 $((seconds + 2)) >"$scratch/peer.offcputime" 2>"$scratch/peer.offcputime.err"
	local theirs=$started
	"$record" --offcpu $((seconds + 2)) -u --pid "$workload" -o "$scratch/peer.rwk" 2>"$scratch/peer.err" &
	local ours=$!
	sleep 1
	echo >"$scratch/peer.go"
	wait "$ours"
	check_sound "$?"
	wait "$theirs"
	kill "$workload"
	judged python3 -B "$here/tests/live/waits_peers.py" offcputime "$report" "$scratch/peer.rwk" "$scratch/peer.offcputime"
}

# Losses of others' events, which a kernel that hides threads may cause, are no matter here.
check_sound() { # CODE
	look_for_hidden
	[ "$1$WAITS_HIDDEN" = 31 ] && return
	check_equal "exit code of the recorder" 0 "$1"
}

# perf and we at once; what both saw of the workload's threads is compared wait by wait.
test_perf_wakers() { # NAME COMMS COMMAND ARGUMENT...
	local name=$1 comms=$2
	shift 2
	start_workload "$name" "$@"
	start perf record -q -a -B -N -k CLOCK_MONOTONIC --buildid-mmap --no-bpf-event -m 2048 -o "$scratch/$name.data" \
		-e sched:sched_switch -e sched:sched_waking 2>"$scratch/$name.perf.err"
	local theirs=$started
	sleep 0.7
	"$record" --offcpu 0 -m 0 --wakers -c "$comms" -o "$scratch/$name.rwk" 2>"$scratch/$name.err" &
	local ours=$!
	sleep 1
	echo >"$scratch/$name.go"
	wait "$workload"
	kill -INT "$ours" "$theirs"
	wait "$ours"
	check_sound "$?"
	wait "$theirs"
	WAITS_EVENTS=$scratch/$name.events perf script -i "$scratch/$name.data" -s "$here/tests/live/waits_perf.py" \
		>"$scratch/$name.script" 2>&1
	[ -s "$scratch/$name.events" ] || { fail "perf script gave no events: $(tail -n 3 "$scratch/$name.script")"; return 1; }
	python3 -B "$here/tests/live/waits_peers.py" wakers "$report" "$scratch/$name.rwk" "$scratch/$name.truth" \
		"$scratch/$name.events" >"$scratch/$name.verdicts"
}

# Now and then perf loses most of what it saw; what it did not see proves nothing.
test_wakers() {
	local try
	for try in 1 2 3; do
		# shellcheck disable=SC2016
		test_perf_wakers "wakers$try" '^(chain-|mix-|pour|empty)' sh -c '"$0" chain 20; "$0" mixed "$1"; "$0" several 2' \
			"$workloads/waits" "$(at_level 1.5 20)" && break
	done
	judged cat "$scratch/wakers$try.verdicts"
}

need_offcpu
need_tool perf
test_offcputime
perf version --build-options 2>/dev/null | grep -q 'libpython: \[ on' || { echo "not run: perf without Python"; finish; }
test_wakers
finish
