#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# A ring of the kernel's records of processes goes silent: the recorder notices, opens the ring again, and the trace
# says from when to when names were unsure. Programs started then and later have names. At the long
# level with processes started as fast as possible, and for longer.
# only recorder: every recorder on the host gets the records of so many processes and names, and may lose some.
. "$(dirname "$0")/lib.sh"

first_cpu=$(allowed_cpus | head -n 1)
last_cpu=$(allowed_cpus | tail -n 1)

# fork_on CPU: starts one short process after the other until it is killed; at the check level with pauses.
fork_on() {
	taskset -c "$1" bash -c 'while :; do /bin/true; '"$(at_level 'read -rt 0.005 <>"$0"' :)"'; done' "$scratch/never" &
	children="$children $!"
	forker=$!
}

# Starts a program that burns CPU time under the name NAME; its process id is in $burner.
start_burner() { # NAME
	cp "$workloads/burn" "$scratch/$1"
	"$scratch/$1" "$1" 600 &
	burner=$!
	children="$children $burner"
}

start_recorder() { # NAME
	begin_recorder "$1" -p 600 -u -o "$scratch/$1.rwk"
	wait_for 60 has_started "$scratch/$1.rwk" || die "nothing is recorded"
}

# Sources are written once everything runs; the first chunk of events follows a second later.
has_started() { "$report" --dump "$1" 2>/dev/null | grep -q ' type EVENTS'; }

stop_recorder() { # NAME
	kill -INT "$recorder"
	wait "$recorder"
	code=$?
	tell_unsure "$1"
}

# tell NAME: writes --info to NAME.info.
tell() { "$report" --no-local-files --info "$scratch/$1.rwk" >"$scratch/$1.info" 2>"$scratch/$1.note"; }

is_noticed() { "$report" --dump "$scratch/$1.rwk" 2>/dev/null | grep -q '^ *unsure'; }
is_told() { # there are two records: of the noticing, and of the end, when all processes had been read again
	[ "$("$report" --dump "$scratch/$1.rwk" 2>/dev/null | grep -c '^ *unsure')" -ge 2 ]
}

# Lists the spans, and when the first source began, in ns.
tell_unsure() {
	"$report" --dump "$scratch/$1.rwk" 2>/dev/null | grep -E '^ *(unsure|source) ' >"$scratch/$1.records"
	sed -nE 's/^ *unsure (.*)/\1/p' "$scratch/$1.records" >"$scratch/$1.unsure"
}

# The earliest end recorded for a span: when it was noticed, ns.
noticed_at() { sed -nE 's/.*until=([0-9]+).*/\1/p' "$scratch/$1.unsure" | sort -n | head -1; }
begun_at() { sed -nE 's/^time=([0-9]+).*/\1/p' "$scratch/$1.unsure" | sort -n | head -1; }

# "FROM,TO" in seconds of the recording: the longest time in which names are sure, after the first span, when all
# processes had been read again. TO is empty if that time lasts until the end. On a busy machine records may be
# missing again later.
sure_time() { # TRACE
	sort -t = -k 2,2n "$scratch/$1.records" | awk '
		function take(to) { if (from && to - from > longest) { longest = to - from; best = from; end = to } }
		$1 == "source" && match($0, /start=[0-9]+/) && !began { began = substr($0, RSTART + 6, RLENGTH - 6) }
		$1 == "source" && match($0, /stop=[0-9]+/) { stop = substr($0, RSTART + 5, RLENGTH - 5) }
		$1 == "unsure" {
			split($2, time, "="); split($3, until, "=")
			take(time[2])
			if (until[2] + 0 > from) from = until[2] + 0
		}
		END {
			take(stop + 0 ? stop : 1e19)
			printf "%.3f,", best ? (best - began) / 1e9 + 0.01 : 0
			if (best && end != stop && end < 1e19) printf "%.3f", (end - began) / 1e9 - 0.01
		}'
}

# burns LEAST TRACE NAME [OPTION...]: whether at least that many samples of the program were taken in that time. Their
# functions need no names.
burns() {
	tell_unsure "$2"
	"$report" --folded "${@:4}" -c "^$3\$" --time "$(sure_time "$2")" "$scratch/$2.rwk" 2>/dev/null >"$scratch/$3.folded"
	[ "$(folded_sum "$scratch/$3.folded")" -ge "$1" ]
}

# More samples than are judged, because a span that is noticed later may begin before them.
is_burning() { burns 3000 "$@" --no-local-files; }

# All samples are in the program's own functions, by name.
check_named() { # TRACE NAME
	check "$1: samples of $2" burns 100 "$1" "$2"
	check_number "$1: $2 is named" "$(folded_sum "$scratch/$2.folded" burn_user) > 0.95 * $(folded_sum "$scratch/$2.folded")"
}

# Pauses the output of the recorder's ring of perf records of the first CPU; prints the time of CLOCK_MONOTONIC in ns. Only an event
# with a ring can be paused: those that count or call a program have none.
pause_ring() {
	python3 -B - "$recorder" "$first_cpu" <<-'END'
		import ctypes, fcntl, os, sys, time
		GETFD, PAUSE_OUTPUT = 438, 0x40042409
		pid, before = map(int, sys.argv[1:])
		of, libc = os.pidfd_open(pid), ctypes.CDLL(None)
		for number in sorted(map(int, os.listdir("/proc/%d/fd" % pid))):
		    if "perf_event" not in os.readlink("/proc/%d/fd/%d" % (pid, number)):
		        continue
		    fd = libc.syscall(GETFD, of, number, 0)
		    try:
		        fcntl.ioctl(fd, PAUSE_OUTPUT, not before)
		    except OSError:
		        continue
		    if before:
		        before -= 1
		        continue
		    print(time.monotonic_ns())
		    sys.exit(0)
		sys.exit(1)
	END
}

# Whether the death of the ring, at $paused, is noticed within 2 s.
dies() { # NAME
	rm -f "$scratch/$1.rwk"
	start_recorder "$1"
	paused=$(pause_ring) || die "$1: the recorder's rings were not found"
	wait_for 60 is_noticed "$1" || fail "$1: it is not noticed"
	tell_unsure "$1"
	awk "BEGIN { exit !($(noticed_at "$1") - $paused <= 2e9) }"
}

test_dying_ring() {
	local name=paused paused try
	fork_on "$first_cpu"
	for try in 1 2 3; do # a busy machine may be late
		! dies "$name" || break
		[ $try -eq 3 ] || stop_recorder "$name"
	done
	start_burner "late_$name"
	wait_for 60 is_told "$name" || fail "$name: the processes are not told again"
	wait_for 60 is_burning "$name" "late_$name"
	kill "$burner" "$forker"
	stop_recorder "$name"
	tell "$name"
	check_equal "$name: exit code" 3 "$code"
	check_number "$name: noticed within 2 s" "$(noticed_at "$name") - $paused <= 2e9"
	check_number "$name: unsure since before that" "$(begun_at "$name") <= $paused"
	check_equal "$name: causes" cause=1 "$(grep -o 'cause=[0-9]*' "$scratch/$name.unsure" | sort -u)"
	check "$name: --info tells when" grep -q 'names unsure  *from .* records of processes of CPU '"$first_cpu are missing" "$scratch/$name.info"
	check "$name: the recorder says so" grep -q 'records of processes are missing for' "$scratch/$name.err"
	"$report" --no-local-files --tree "$scratch/$name.rwk" >"$scratch/$name.tree" 2>&1
	check_equal "$name: exit code of the report" 3 "$?"
	check "$name: it has a note on it" grep -q 'note .* samples (.*) from times when records of processes are missing' "$scratch/$name.info"
	check_named "$name" "late_$name"
}

# Nothing is reported if nothing is wrong, however many processes fork, rename themselves and exit.
test_healthy() {
	local forkers
	fork_on "$first_cpu"
	forkers=$forker
	fork_on "$last_cpu"
	start_recorder healthy
	"$workloads/churn" renames 30000 # fewer than a ring holds, even if nothing read it
	sleep "$(at_level 1 30)"
	kill $forkers "$forker"
	stop_recorder healthy
	check_equal "healthy: exit code" 0 "$code"
	check_equal "healthy: unsure" "" "$(cat "$scratch/healthy.unsure")"
}

# If several recorders listen, the kernel (up to 6.18 at least) makes the records of BPF programs that come and go too
# large: their tail is what the ring had there before, here parts of names. Read as times, these once stopped all
# rings forever.
test_others() {
	local cpu first second
	start_recorder others
	first=$recorder
	begin_recorder second -p 600 -u -f 99 --embed none -o "$scratch/second.rwk"
	second=$recorder recorder=$first
	for cpu in $first_cpu $last_cpu; do taskset -c "$cpu" "$workloads/churn" renames 80000; done # more than a ring holds
	"$record" -p "$(at_level 0.3 1)" -u --embed none -o "$scratch/third.rwk" 2>/dev/null
	fork_on "$first_cpu"
	start_burner late_others
	wait_for 60 is_burning others late_others
	kill "$burner" "$forker"
	kill -KILL "$second"
	wait "$second" 2>/dev/null
	stop_recorder others
	check_equal "others: silent rings" "" "$(grep cause=1 "$scratch/others.unsure")"
	check_named others late_others
}

# More records than fit into the rings arrive while the recorder is stopped.
test_stopped() {
	start_recorder stopped
	kill -STOP "$recorder"
	taskset -c "$first_cpu" "$workloads/churn" renames "$(at_level 100000 200000)"
	sleep "$(at_level 0 6)"
	start_burner late_stopped
	kill -CONT "$recorder"
	wait_for 60 is_told stopped || fail "stopped: the processes are not told again"
	wait_for 60 is_burning stopped late_stopped
	kill "$burner"
	stop_recorder stopped
	tell stopped
	check_equal "stopped: exit code" 3 "$code"
	check "stopped: losses are told" grep -q 'lost  *[0-9]* sideband' "$scratch/stopped.info"
	check "stopped: --info tells when" grep -q 'names unsure .*: some were lost' "$scratch/stopped.info"
	check_named stopped late_stopped
}

need_recording
need_tool python3
test_healthy
test_others
test_dying_ring
test_stopped
finish
