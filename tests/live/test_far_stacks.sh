#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# Threads that sleep with their stack pointer in a file's mapping (workloads/sleepers.c). What is in memory is copied.
# What is not, and what a file server must answer for, is not waited for: it is said to be missing, and why. While the
# server is dead, the target's other threads, those who look at it, and the unloading of BPF programs go on.
. "$(dirname "$0")/lib.sh"

need_recording
need_tool setsid pgrep
[ "$(uname -m)" = x86_64 ] || skip "the workload is for x86-64" # without pause(), its threads are not in D or S for sure

serve() {
	[ -e /dev/fuse ] || return 1
	mkdir "$scratch/served"
	python3 -B "$here/tests/live/dead_fuse.py" "$scratch/served" allow_other "$scratch/file" >"$scratch/fuse.out" 2>"$scratch/fuse.err" &
	server=$!
	children="$children $server"
	wait_for 60 grep -q ready "$scratch/fuse.out"
}

is_dead() { kill -USR1 "$server" 2>/dev/null; grep -q dead "$scratch/fuse.out"; }

# record_alone NAME OPTION...: in a session of its own, of which nothing stays behind.
record_alone() {
	local name=$1
	shift
	# shellcheck disable=SC2016 # the inner shell's words
	setsid -w sh -c 'echo $$ >"$0"; exec "$@"' "$scratch/$name.session" "$record" -o "$scratch/$name.rwk" "$@" \
		2>"$scratch/$name.err"
	check_equal "$name: exit code" 0 $?
	check "$name: nothing stays behind" wait_for 60 has_no_session "$(cat "$scratch/$name.session")"
	check "$name: no helper is left behind" lacks 'left behind' "$scratch/$name.err"
}
has_no_session() { ! pgrep -s "$1" >/dev/null; }

why() { # NAME COMM: what the report says about that thread's user stack
	"$report" --tasks -c "^$2\$" "$scratch/$1.rwk" 2>/dev/null |
		grep -oE -m1 '^ *(sleep_there|\[no user stack: .*\])$' | sed 's/^ *//'
}

check_stacks() { # NAME
	check_equal "$1: a page that is in memory" sleep_there "$(why "$1" fs_copied)"
	check_equal "$1: one that is not" '[no user stack: it was not in memory]' "$(why "$1" fs_absent)"
	[ -n "$server" ] || return
	for comm in fs_served fs_dead; do
		check_equal "$1: $comm" '[no user stack: it was in a file on FUSE or a network file system]' \
			"$(why "$1" $comm)"
	done
}

mapper() { grep -lx fs_mapper /proc/"$pid"/task/*/comm; }
switches() { awk '/^voluntary/ { print $2 }' "${mapper_folder}status"; }
has_mapped() { [ "$(switches)" -gt $((before + 5)) ]; }
none_waits_to_unload() { ! grep -qs bpf_map_free_deferred /proc/[0-9]*/stack; }

check_host() { # NAME
	before=$(switches)
	check "$1: another thread of the target maps memory" wait_for 60 has_mapped
	check "$1: a look at the target" timeout 60 cat "/proc/$pid/cmdline" >"$scratch/cmdline"
	check "$1: BPF programs are unloaded" wait_for 60 none_waits_to_unload
}

flight() {
	begin_recorder flight --flight 20s,8M -u --dwarf --offcpu 0 -o "$scratch/flight.rwk"
	end_recorder flight
	check "flight: no helper is left behind" lacks 'left behind' "$scratch/flight.err"
}

trap 'umount -l "$scratch/served" 2>/dev/null; cleanup' EXIT
dd if=/dev/zero of="$scratch/file" bs=1M count=1 2>/dev/null
serve || server=
[ -n "$server" ] || echo "# without FUSE: $(cat "$scratch/fuse.err" 2>/dev/null)"
start "$workloads/sleepers" far "$scratch/file" ${server:+"$scratch/served/file"} 2>"$scratch/far_stacks.err"
pid=$started
wait_for 60 asleep "$pid" "$([ -n "$server" ] && echo fs_dead || echo fs_absent)" || die "$(cat "$scratch/far_stacks.err")"
wait_for 60 asleep "$pid" 'fs_(copied|absent|served|dead)' || die "the threads do not sleep"
mapper_folder=$(mapper)
mapper_folder=${mapper_folder%comm}
[ -z "$server" ] || wait_for 60 is_dead || die "the server does not die"

record_alone walk -a -u
check_stacks walk
record_alone snapshots -a --dwarf
check_stacks snapshots
record_alone waits --offcpu 1 -u
check "the end of waits is looked at" grep -q fs_ <("$report" --waits-on -c '^fs_' "$scratch/waits.rwk" 2>/dev/null)
check_host 'after the recordings'
flight
check_host 'after a dump'
finish
