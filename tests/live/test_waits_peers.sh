#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# Waits compared with other tools in the same run: totals per stack with libbpf-tools' offcputime, within 2 %, and who
# woke whom with perf's sched_waking and sched_switch events: in task context each must be equal, the rest is listed
# by kind.
# two tries: compared with another recorder, which does not observe exactly the same moments.
# only recorder: two recorders of every switch lose some if two more run beside them.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/waits_lib.sh"

offcputime=${OFFCPUTIME:-$(PATH=$PATH:/usr/sbin command -v offcputime)}

# Starts a process that waits for a line on its input, until both recorders are ready, and then becomes the workload.
start_workload() { # NAME COMMAND ARGUMENT...
	local name=$1
	shift
	mkfifo "$scratch/$name.go"
	# shellcheck disable=SC2016
	start bash -c 'read -r _ <"$0"; exec "$@"' "$scratch/$name.go" "$@" >"$scratch/$name.truth"
	workload=$started
}

# recorded_beside NAME ERE COUNT OPTION...: starts the workload once the recording is under way, and ends when its
# output has COUNT lines that match.
recorded_beside() { # NAME ERE COUNT OPTION...
	local name=$1 ere=$2 count=$3
	shift 3
	# shellcheck disable=SC2016
	"$record" --system-wide "$@" -o "$scratch/$name.rwk" -- sh -c 'echo >"$0"; until [ "$(grep -c "$2" "$1")" = "$3" ]; do sleep 0.05; done' \
		"$scratch/$name.go" "$scratch/$name.truth" "$ere" "$count" 2>"$scratch/$name.err"
	check_sound "$?"
}

# Whether a process has a BPF program attached.
is_attached() { find "/proc/$1/fd" -printf '%l\n' 2>/dev/null | grep -qE 'bpf[-_](link|raw)'; }

test_offcputime() {
	[ -n "$offcputime" ] || { echo "not run: 'offcputime' is not installed (apt-get install libbpf-tools)"; return; }
	local seconds
	seconds=$(at_level 3 20)
	start_workload peer "$workloads/waits" sleeps "$seconds" 60
	start "$offcputime" -p "$workload" -m 1000 1000 >"$scratch/peer.offcputime" 2>"$scratch/peer.offcputime.err"
	local theirs=$started
	wait_for 60 is_attached "$theirs" || die "offcputime does not start: $(cat "$scratch/peer.offcputime.err")"
	recorded_beside peer ^thread 4 --offcpu 0 -u --pid "$workload"
	kill -INT "$theirs" # ends its sleep, after which it prints
	wait "$theirs"
	kill "$workload"
	check_waits peer brackets # shows who is right if they differ
	judged python3 -B "$here/tests/live/waits_peers.py" offcputime "$report" "$scratch/peer.rwk" "$scratch/peer.offcputime"
}

# Losses of other tasks' events, which happen on a kernel that hides threads, do not matter here.
check_sound() { # CODE
	look_for_hidden
	[ "$1$WAITS_HIDDEN" = 31 ] && return
	check_equal "exit code of the recorder" 0 "$1"
}

# perf and rwalker record at the same time; waits of the workload's threads that both saw are compared one by one.
test_perf_wakers() { # NAME COMMS COMMAND ARGUMENT...
	local name=$1 comms=$2
	shift 2
	start_workload "$name" "$@"
	# perf runs its command once its events are counted. It runs ahead of other processes if this host allows it.
	# shellcheck disable=SC2086
	start perf record -q -a $ahead -B -N -k CLOCK_MONOTONIC --buildid-mmap --no-bpf-event -m 2048 -o "$scratch/$name.data" \
		-e sched:sched_switch -e sched:sched_waking \
		-- sh -c 'echo >"$0"; exec sleep 1000' "$scratch/$name.perf.on" 2>"$scratch/$name.perf.err"
	local theirs=$started
	wait_for 60 test -e "$scratch/$name.perf.on" || die "perf does not start: $(cat "$scratch/$name.perf.err")"
	recorded_beside "$name" ^machine 3 --offcpu 0 -m 0 --wakers -c "$comms"
	wait "$workload"
	kill -INT "$theirs"
	wait "$theirs"
	WAITS_EVENTS=$scratch/$name.events perf script -i "$scratch/$name.data" -s "$here/tests/live/waits_perf.py" \
		>"$scratch/$name.script" 2>&1
	[ -s "$scratch/$name.events" ] || { fail "perf script gave no events: $(tail -n 3 "$scratch/$name.script")"; return 1; }
	python3 -B "$here/tests/live/waits_peers.py" wakers "$report" "$scratch/$name.rwk" "$scratch/$name.truth" \
		"$scratch/$name.events" >"$scratch/$name.verdicts"
}

# perf sometimes loses most events; what it did not see proves nothing.
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
need_tool perf chrt
ahead=
! chrt -f 1 true 2>/dev/null || ahead='-r 1'
test_offcputime
perf version --build-options 2>/dev/null | grep -q 'libpython: \[ on' || { echo "not run: perf without Python"; finish; }
test_wakers
finish
