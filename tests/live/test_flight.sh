#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# --flight: dumps at random moments show the same as that stretch of the whole recording, which a recorder made for
# tests writes as well. If a dump fails because the disk is full, only that dump is lost (test_flight_killed.sh kills
# processes). Signals that arrive together make one dump. A wait that has not ended when a dump is made is in the dump
# as such. At the long level there are hundreds of dumps and the load uses all of the CPU time that it gets; else
# there are a few dumps, and the load pauses.
. "$(dirname "$0")/lib.sh"

streaming=$build/tests/live/recorder/stream_recorder
[ -x "$streaming" ] || die "make test-programs first"
need_recording
need_tool python3

# The load is in a group of its own: programs of the same names, whose files come and go, may run beside.
base=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
cgroup=
[ -z "$base" ] || make_cgroup "$base/rwalker-flight-$$"
join() { [ -z "$cgroup" ] || echo "$started" >"$cgroup/cgroup.procs"; }

# Short processes in pipes, a shell, and a program with threads: forks, execs, exits, mappings, waits.
load() {
	start bash -c "while :; do sh -c 'sort /etc/services | uniq -c | tail -1; sleep $(at_level 0.15 0.005)' >/dev/null; done"
	join
	loads=$started
	start bash -c 'while :; do grep -rc include "$0" >/dev/null; '"$(at_level 'sleep 0.1' :)"'; done' "$here/common"
	join
	loads="$loads $started"
}

unload() {
	# shellcheck disable=SC2086 # one word each
	kill -KILL $loads
	# shellcheck disable=SC2086
	wait $loads
} 2>/dev/null

# begin NAME OPTIONS...: starts the recorder, and returns when its window has moved on.
begin() {
	local name=$1
	shift
	program=$streaming begin_recorder "$name" "$@" --max-dumps 0 -o "$scratch/$name.rwk"
	helpers=$(pgrep -c -P "$recorder")
}

dumps() { ls "$scratch/$1"-*.rwk 2>/dev/null | wc -l; }
has_dumps() { [ "$(dumps "$1")" -ge "$2" ]; }

# Requests a dump once the last one is written and its writer, a child of the recorder beside its helpers, is gone:
# until then a signal makes no dump.
signal() {
	wait_for 20 writes_nothing
	kill -USR2 "$recorder"
}
writes_nothing() { [ "$(pgrep -c -P "$recorder")" -le "$helpers" ]; }

# some_dumps NAME COUNT: makes that many dumps, each a random time after the one before.
some_dumps() {
	local i
	for i in $(seq "$2"); do
		sleep "0.$((RANDOM % 4))$((RANDOM % 10))"
		signal
		wait_for 20 has_dumps "$1" "$i" || { fail "$1: dump $i was not made"; return; }
	done
}

end() {
	kill -INT "$recorder"
	wait "$recorder"
	ended=$?
}

# ended_well NAME: the exit code fits the last dump, and losses are said.
ended_well() {
	check_ended "$1" "$ended" "$(ls -t "$scratch/$1"-*.rwk | head -n 1)"
	check_equal "$1: losses are said" $((ended / 3)) "$(grep -c 'event.* lost' "$scratch/$1.err")"
}

# as_recorded NAME COUNT OPTIONS...: nothing is embedded; names come from this host's files. A function may have
# several names, and which of them is embedded depends on what else was hit.
as_recorded() {
	local name=$1 count=$2
	shift 2
	RWALKER_STREAM=$scratch/$name.stream begin "$name" --flight 3s,8M --embed none -c '^(sort|uniq|tail|sh|sleep|grep)$' \
		${cgroup:+--cgroup "$cgroup"} "$@"
	load
	sleep 2
	some_dumps "$name" "$count"
	end
	unload
	ended_well "$name"
	check_equal "$name: dumps" $((count + 1)) "$(dumps "$name")"
	check "$name: dumps show what was recorded" python3 "$here/tests/live/flight_check.py" "$report" 0.5 \
		"$scratch/$name.stream" "$scratch/$name"-*.rwk
}

test_full() {
	mkdir "$scratch/full"
	mount -t tmpfs -o size=1m rwalker-full "$scratch/full" || { echo "# not run: no tmpfs can be mounted"; return; }
	begin_recorder full --flight 2s -p 0 --offcpu 0 -u -o "$scratch/full/full"
	helpers=$(pgrep -c -P "$recorder")
	signal
	check "a full disk is said" wait_for 20 grep -q 'cannot write dump 1: No space left' "$scratch/full.err"
	mount -o remount,size=200m "$scratch/full"
	signal
	check "with room, there is a dump" wait_for 20 has_dumps full/full 1
	end_recorder full 4
	check_equal "full: files" 2 "$(find "$scratch/full" -type f | wc -l)"
	umount "$scratch/full"
}

test_storm() {
	local i
	begin storm --flight 2s -p 0 --offcpu 0 -u
	load
	sleep 1
	for i in $(seq 300); do
		kill -USR2 "$recorder"
		[ $((i % 3)) -ne 0 ] || pause 5000
	done
	end
	unload
	ended_well storm
	check_number "storm: dumps" "$(dumps storm) >= 2 && $(dumps storm) < 100"
	check "names are embedded" grep -q '(file): min' <("$report" --no-local-files --info "$(find "$scratch" -name 'storm-*' | sort | tail -1)")
	check "what made no dump is counted" grep -q 'other.* in this time made no dump' <("$report" --no-local-files --info "$scratch"/storm-*.rwk)
}

locks() { grep -c "flock of $scratch/held.file" "$scratch/$1.waits"; }

# waits NAME OPTIONS...: the waits, in the last dump, of the process that waits for a lock.
waits() {
	local name=$1
	shift
	"$report" --top-waits -c '^flock$' "$@" "$(ls -t "$scratch"/open-* | head -n 1)" >"$scratch/$name.waits" 2>&1
}

# Whether the process has become flock, sleeps, and, where /proc/PID/stack can be read, sleeps in the lock.
has_blocked() {
	[ "$(cat "/proc/$1/comm" 2>/dev/null)" = flock ] && [ "$(cut -d' ' -f3 "/proc/$1/stat")" = S ] &&
		{ grep -q flock "/proc/$1/stack" || ! [ -s "/proc/$1/stack" ]; } 2>/dev/null
}

test_open() {
	local holder waiter try
	begin open --flight 20s,8M --offcpu 0 --wakers -u
	start flock "$scratch/held.file" sleep 100
	holder=$started
	wait_for 10 pgrep -P "$holder" || die "nobody holds the lock"
	start flock "$scratch/held.file" true
	waiter=$started
	wait_for 10 has_blocked "$waiter" || die "nobody waits for the lock"
	sleep 0.5 # so the wait is at least this long
	for try in 1 2 3 4 5; do # on a busy host, the helper that reads names may be late
		signal
		wait_for 20 has_dumps open $try || { fail "open: no dump was made"; end; return; }
		waits during --class=open
		[ "$(locks during)" != 1 ] || break
	done
	check_equal "open: the wait, with its lock" 1 "$(locks during)"
	check "open: it had not ended" grep -q 'had not ended by' "$scratch/during.waits"
	check "open: where it waits, in the kernel and above" test "$(grep -c 'locks_lock_inode_wait\|flock$' "$scratch/during.waits")" -ge 2
	check "open: chains begin with it" grep -q "flock of $scratch/held.file" \
		<("$report" --chains -c '^flock$' "$(ls -t "$scratch"/open-* | head -n 1)")
	kill -KILL $(pgrep -P "$holder") "$holder"
	wait "$waiter"
	signal
	wait_for 20 has_dumps open $((try + 1)) || { fail "open: no second dump was made"; end; return; }
	waits after --class=ended
	check_equal "open: once it has ended, it is there once" 1 "$(locks after)"
	waits again --class=open
	check_equal "open: and no longer open" 0 "$(locks again)"
	end
	ended_well open
}

test_open
as_recorded plain "$(at_level 4 170)" -p 0 -f 99 --offcpu 0 --wakers -u
as_recorded all "$(at_level 2 170)" -p 0 --offcpu 0 --wakers -m 0 -u
as_recorded dwarf "$(at_level 2 170)" -p 0 -f 99 --offcpu 0 --wakers --dwarf
test_full
test_storm
finish
