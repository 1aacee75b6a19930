#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# Snapshots that do not fit into the ring although the smaller records of their events do: of samples and of hits. The
# recorder is stopped until its rings are full, and then the load, so the counters in the kernel are final when they
# are read. The trace has the same totals for each CPU.
. "$(dirname "$0")/lib.sh"

# The environment is on the load's stack: a snapshot has at least that many bytes, and a ring of 1 MB has room for 15
# of them. The load stays on one CPU, so all its records go to one ring.
start_load() {
	start env -i "PAD=$(head -c 60000 /dev/zero | tr '\0' x)" "$(command -v taskset)" -c "$(allowed_cpus | head -n 1)" \
		"$(command -v dd)" if=/dev/zero of=/dev/null bs=1 status=none
	load=$started
	wait_for 60 runs_as dd || die "the load does not start"
}

runs_as() { [ "$(cat "/proc/$load/comm" 2>/dev/null)" = "$1" ]; }

counters() { python3 -B "$here/tests/live/bpf_counters.py" "$recorder" "$1"; }

# lost_here MAP LEAST: whether at least that many events found the ring full.
lost_here() { [ "$(counters "$1" | sed -E 's/.* RING_FULL=([0-9]+) .*/\1/' | awk '{ n += $1 } END { print n + 0 }')" -ge "$2" ]; }

is_in_state() { [ "$(sed 's/.*) //; s/ .*//' "/proc/$1/stat")" = "$2" ]; }

# record_losses NAME MAP OPTION...: writes events of the load to NAME.rwk, the kernel's counters to NAME.counters.
record_losses() {
	local name=$1 map=$2
	shift 2
	start_load
	start "$record" "$@" --dwarf --ringbuf-size 1 --pid "$load" --embed none -o "$scratch/$name.rwk" 2>"$scratch/$name.err"
	recorder=$started
	wait_for 60 has_events "$name" || die "nothing is recorded: $(cat "$scratch/$name.err")"
	kill -STOP "$recorder"
	wait_for 60 lost_here "$map" 100 || die "the ring does not fill"
	kill -STOP "$load"
	wait_for 60 is_in_state "$load" T || die "the load does not stop"
	counters "$map" >"$scratch/$name.counters"
	kill -CONT "$recorder"
	kill -INT "$recorder"
	wait "$recorder"
	check_equal "$name: exit code of a recorder that lost events" 3 $?
	kill -KILL "$load"
	wait "$load" 2>/dev/null
}

has_events() { "$report" --dump "$scratch/$1.rwk" 2>/dev/null | grep -q '^  sample '; }

judge_losses() { # NAME
	judged python3 -B "$here/tests/live/snapshot_losses_check.py" "$report" "$scratch/$1.rwk" "$scratch/$1.counters" \
		"$("$report" --dump "$scratch/$1.rwk" | sed -nE 's/^  source id=([0-9]+) .*/\1/p' | head -n 1)"
}

need_recording
need_tool python3 bpftool taskset
cd "$here" || exit 1
record_losses samples ring_cpus -p 0
judge_losses samples
record_losses hits point_sources --trace sys_enter --rate-limit 1000
judge_losses hits
finish
