#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# Tracepoints, and kernel functions as far as this kernel allows: counts per call path compared with a workload that
# counts its calls (workloads/calls.c) and with `perf stat -e` of the same run; filters, durations, storms, losses,
# refusals.
# two tries: compared with another recorder, which does not observe exactly the same moments.
. "$(dirname "$0")/lib.sh"
need_tracefs

calls=$workloads/calls
LIMIT=2000  # rate limit of the limited storms
BOUND=12  # a call in a limited storm may cost this many times its cost without a recorder, in addition

# check_points NAME CHECK...: what points_check.py finds.
check_points() {
	local name=$1
	shift
	echo "# $name"
	judged python3 -B "$here/tests/live/points_check.py" "$report" "$scratch/$name.rwk" "$scratch/$name.truth" "$@"
}

# record_calls NAME 'RECORDER OPTIONS' ARGUMENT...: the workload under the recorder; its truth is its output.
record_calls() {
	local name=$1 options=$2
	shift 2
	# shellcheck disable=SC2086
	run_ok "$name" "$record" --force $options -o "$scratch/$name.rwk" -- "$calls" "$@"
	local code=$?
	mv "$scratch/$name.out" "$scratch/$name.truth"
	return $code
}

# The same, while perf counts its events: both begin when the workload is executed. perf counts single system calls by
# filtering the events of all system calls: it no longer sees an event to which BPF programs are attached through
# perf, as ours are.
beside_perf_stat() { # NAME 'RECORDER OPTIONS' EVENT[/NUMBER],... ARGUMENT...
	local name=$1 options=$2 event events=
	for event in ${3//,/ }; do
		case $event in
		*/*) events="$events -e ${event%/*} --filter id==${event#*/}" ;;
		*) events="$events -e $event" ;;
		esac
	done
	shift 3
	# shellcheck disable=SC2086
	run_ok "$name" "$record" --force -c '^calls' $options -o "$scratch/$name.rwk" -- \
		perf stat -x, -o "$scratch/$name.perf" $events -- "$calls" "$@"
	local code=$?
	mv "$scratch/$name.out" "$scratch/$name.truth"
	return $code
}

# --- counts --------------------------------------------------------------------------------------

test_raw() {
	beside_perf_stat raw '--trace raw_syscalls:sys_enter -u' raw_syscalls:sys_enter plan "$(at_level 3 100)" "$scratch/f" || return
	check_points raw account lost:0 paths perf:"$scratch/raw.perf" probes:raw_syscalls:sys_enter 'hook:raw tracepoint' \
		comms:calls,calls-two frames
}

test_system_call() {
	beside_perf_stat one '--trace syscalls:sys_enter_write -u' raw_syscalls:sys_enter/1 plan 2 "$scratch/f" || return
	check_points one account lost:0 paths:write perf:"$scratch/one.perf"=sys_enter_write hook:tracepoint frames
}

# --- filters -------------------------------------------------------------------------------------

# gate NAME: makes a pipe from which workloads wait to read a line; sets $gate to its descriptor.
gate() {
	mkfifo "$scratch/$1.go"
	exec {gate}<>"$scratch/$1.go"
	: >"$scratch/$1.truth"
}

is_ready() { grep -q '^ready' "$scratch/$1.truth"; }

# paused NAME: starts the workload, ready and waiting; sets $two to its second thread.
paused() {
	gate "$1"
	"$calls" go plan 1 "$scratch/f" <&"$gate" >"$scratch/$1.truth" &
	children="$children $!"
	wait_for 60 is_ready "$1" || die "the workload does not start"
	two=$(sed -n 's/^ready .* two=//p' "$scratch/$1.truth")
}

# filtered NAME OPTION...: records the workload, which starts once everything is attached.
filtered() {
	local name=$1
	shift
	run_ok "$name" "$record" --force --trace raw_syscalls:sys_enter -u "$@" --system-wide -o "$scratch/$name.rwk" -- \
		bash -c 'echo >"$0"; until [[ $(<"$1") == *$'"'\\n'"'end* ]]; do read -rt 0.02 <>"$2"; done; true' \
		"$scratch/$name.go" "$scratch/$name.truth" "$scratch/never"
}

test_who() {
	paused tid && filtered tid --tid "$two" && check_points tid account lost:0 paths:/calls-two comms:calls-two
	paused command && filtered command -c '^calls-t' && check_points command account paths:/calls-two comms:calls-two
}

# The recorder's own hits are left out and counted: nothing else here writes files, reads rings and waits.
test_own() {
	start "$record" --force --trace raw_syscalls:sys_enter -d 1 -o "$scratch/own.rwk" 2>"$scratch/own.err"
	wait "$started"
	check_equal "own: exit code" 0 $? || { cat "$scratch/own.err" >&2; return; }
	: >"$scratch/own.truth"
	check_points own account
	"$report" --dump "$scratch/own.rwk" >"$scratch/own.dump"
	check_equal "events of the recorder itself, and not of somebody else's" 0 "$(grep -c "^ *task tgid=$started " "$scratch/own.dump")"
	check_number "own hits are counted" "$(awk '/^  loss .* cause=7 / { sub(/.*total=/, ""); n += $0 } END { print n + 0 }' "$scratch/own.dump") > 10"
}

# --- time, and other sources -----------------------------------------------------------------------

test_durations() {
	record_calls ends '--trace syscalls:sys_enter_getppid:1 --trace sys_exit_getppid:2 --trace sys_enter' paced 10 300 || return
	check_points ends account lost:0 ends:syscalls:sys_enter_getppid=1,sys_exit_getppid=2,sys_enter=2 \
		timely:syscalls:sys_enter_getppid,sys_exit_getppid
}

# --- storms --------------------------------------------------------------------------------------

# figure NAME KEY: the value of the key in the truth.
figure() { sed -n "s/^path .*\b$2=\([0-9]*\).*/\1/p" "$scratch/$1.truth" | head -n 1; }

# alone COUNT: the same calls without a recorder: ns of the workload's own time for each.
alone() {
	"$calls" hot "$1" >"$scratch/alone.truth"
	awk -v run="$(figure alone run)" -v count="$1" 'BEGIN { printf "%.0f\n", run / count }'
}

test_storm() {
	local count each base whole limited
	count=$(at_level 1000000 10000000)
	each=$(at_level 50000 2500000) # calls that are all recorded
	base=$(alone "$count")
	check_number "it is a storm: calls per second" "1e9 / $base > 20 * $LIMIT"
	# All calls are recorded: what does not fit into the ring is lost, and counted.
	"$record" --force --trace syscalls:sys_enter_getppid --embed none -o "$scratch/whole.rwk" -- \
		"$calls" hot "$each" >"$scratch/whole.truth" 2>"$scratch/whole.err"
	check_number "exit code of a storm" "$? == 0 || $? == 3"
	check_points whole account calls:sys_enter_getppid=getppid
	whole=$(($(figure whole run) / each))
	beside_perf_stat limited "--trace raw_syscalls:sys_enter --rate-limit $LIMIT -u" raw_syscalls:sys_enter hot "$count" || return
	check_points limited account lost:0 perf:"$scratch/limited.perf" at-least:raw_syscalls:sys_enter=getppid rate:$LIMIT spread
	record_calls exact "--trace syscalls:sys_enter_getppid --rate-limit $LIMIT -u" hot "$count" || return
	check_points exact account lost:0 calls:sys_enter_getppid=getppid rate:$LIMIT spread
	for _ in 1 2 3; do # a try may include time that the host took away
		limited=$(($(figure exact run) / count))
		echo "# a call takes $base ns; $whole when each is recorded, $limited with --rate-limit $LIMIT"
		[ $((limited - base)) -ge $((BOUND * base)) ] || break
		base=$(alone "$count")
		record_calls exact "--trace syscalls:sys_enter_getppid --rate-limit $LIMIT -u" hot "$count" || return
	done
	check_number "what a call in a limited storm costs more" "$limited - $base < $BOUND * $base"
}

# A stopped recorder cannot drain: events are lost, and counted. The workload runs only while it is stopped.
test_stopped() {
	local recorder
	gate stopped
	"$record" --force --trace syscalls:sys_enter_getppid --ringbuf-size 1 --embed none -o "$scratch/stopped.rwk" -- \
		"$calls" go hot "$(at_level 600000 6000000)" <&"$gate" >"$scratch/stopped.truth" 2>"$scratch/stopped.err" &
	recorder=$!
	children="$children $recorder"
	wait_for 60 is_ready stopped || die "the workload does not start"
	kill -STOP "$recorder"
	echo >&"$gate"
	wait_for 100 grep -q ^end "$scratch/stopped.truth" || die "the workload does not end"
	kill -CONT "$recorder"
	wait "$recorder"
	check_equal "exit code of a recorder that lost events" 3 "$?"
	check_points stopped account lost:some calls:sys_enter_getppid=getppid
}

# --- what is refused -------------------------------------------------------------------------------

test_refusals() {
	run_code refused 1 "$record" --trace sched_swich -o "$scratch/refused.rwk" -- true
	check "a mistyped name: the right one is named" grep -qF "did you mean 'sched:sched_switch'?" "$scratch/refused.err"
	run_code refused 1 "$record" --trace 'nothing_*' -o "$scratch/refused.rwk" -- true
	check "no file is left" [ ! -e "$scratch/refused.rwk" ]
}

# A raw tracepoint by name needs no tracefs; a tracepoint of a single system call does.
test_without_tracefs() {
	run_ok bare unshare -m sh -c 'umount "$0"; exec "$@"' $tracing "$record" --force --trace sched_switch \
		-o "$scratch/bare.rwk" -- true && : >"$scratch/bare.truth" && check_points bare account
	run_code bare2 1 unshare -m sh -c 'umount "$0"; exec "$@"' $tracing "$record" --force --trace syscalls:sys_enter_write \
		-o "$scratch/bare2.rwk" -- true
	check "without tracefs no file is left" [ ! -e "$scratch/bare2.rwk" ]
}

# Without fentry and kprobes the recorder prints an error; else functions are counted.
test_functions() {
	if "$record" --force --kfunc ksys_write --embed none -o "$scratch/can.rwk" -- true 2>"$scratch/can.err"; then
		record_calls function '--kfunc ksys_write -u' plan 2 "$scratch/f" || return
		check_points function account lost:0 paths:write@ksys_write leaves frames
		return
	fi
	[ ! -e /sys/bus/event_source/devices/kprobe/type ] || { fail "there are kprobes, but: $(cat "$scratch/can.err")"; return; }
	rm -f "$scratch/can.rwk"
	run_code refused 1 "$record" --kfunc 'ksys_w*' -o "$scratch/refused.rwk" -- true
	check "no file of functions is left" [ ! -e "$scratch/refused.rwk" ]
	# The other sources continue.
	record_calls mixed '--kfunc ksys_write --trace syscalls:sys_enter_write -u' plan 1 "$scratch/f" || return
	check_points mixed account lost:0 paths:write
	check "what is missing is said" grep -q "cannot trace 'ksys_write': this kernel rejects fentry" "$scratch/mixed.err"
}

need_recording
need_tool python3 perf unshare
[ -d $tracing/events ] || skip "there is no tracefs"
test_raw
test_system_call
test_who
test_own
test_durations
test_storm
test_stopped
test_refusals
test_without_tracefs
test_functions
finish
