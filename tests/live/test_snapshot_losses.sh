#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# Snapshots that do not fit into the ring although the smaller records of their events do: of samples and of hits. The
# recorder is stopped until the load has filled its rings. As many events lack a snapshot as the trace says.
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

# Whether the load has used that much CPU time, in hundredths of a second.
has_used() { [ "$(sed 's/.*) //' "/proc/$load/stat" | awk '{ print $12 + $13 }')" -ge "$1" ]; }

is_in_state() { [ "$(sed 's/.*) //; s/ .*//' "/proc/$1/stat")" = "$2" ]; }

# record_losses NAME OPTION...: writes events of the load to NAME.rwk.
record_losses() {
	local name=$1 used
	shift
	start_load
	start "$record" "$@" --dwarf --ringbuf-size 1 --pid "$load" --embed none -o "$scratch/$name.rwk" 2>"$scratch/$name.err"
	recorder=$started
	wait_for 60 has_events "$name" || die "nothing is recorded: $(cat "$scratch/$name.err")"
	kill -STOP "$recorder"
	used=$(sed 's/.*) //' "/proc/$load/stat" | awk '{ print $12 + $13 }')
	wait_for 60 has_used $((used + 300)) || die "the load does not run"
	kill -STOP "$load"
	wait_for 60 is_in_state "$load" T || die "the load does not stop"
	kill -CONT "$recorder"
	kill -INT "$recorder"
	wait "$recorder"
	check_equal "$name: exit code of a recorder that lost events" 3 $?
	kill -KILL "$load"
	wait "$load" 2>/dev/null
}

has_events() { "$report" --dump "$scratch/$1.rwk" 2>/dev/null | grep -q '^  sample '; }

judge_losses() { # NAME
	: >"$scratch/$1.truth"
	judged python3 -B "$here/tests/live/points_check.py" "$report" "$scratch/$1.rwk" "$scratch/$1.truth" snapshots
}

need_recording
need_tool python3 taskset
record_losses samples -p 0
judge_losses samples
record_losses hits --trace sys_enter --rate-limit 1000
judge_losses hits
finish
