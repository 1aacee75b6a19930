#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# --check-host: its exit code is that of recordings with the same rights and the same /proc, and its rows agree with
# what this script finds in /proc and /sys.
. "$(dirname "$0")/lib.sh"

# verdict NAME ROW: the word of that row in the table of a run.
verdict() { sed -n "s/^$2  *\([a-z?][a-z]*\|?\) .*/\1/p" "$scratch/$1.out"; }

# both NAME COMMAND...: runs --check-host, a walk, samples and waits, each through the command. Their exit codes must
# agree.
both() {
	local name=$1 code works=0
	shift
	"$@" "$scratch/rwalker-record" --check-host >"$scratch/$name.out" 2>"$scratch/$name.err"
	code=$?
	"$@" "$scratch/rwalker-record" --offcpu 0.2 -p 0.2 -a -o - >"$scratch/$name.rwk" 2>"$scratch/$name.log" ||
		[ $? -eq 3 ] || works=1
	check_equal "$name: exit code, beside that of a recording" "$works" "$code"
}

readable() { if cat "$1" >/dev/null 2>&1; then echo yes; else echo "$2"; fi; }

test_here() {
	both here env
	check_equal "here: kernel" "$(uname -r)" "$(sed -n 's/^kernel  *yes  *Linux //p' "$scratch/here.out")"
	check_equal "here: types" "$(readable /sys/kernel/btf/vmlinux no)" "$(verdict here 'kernel types (BTF)')"
	check_equal "here: PSI" "$(readable /proc/pressure/cpu no)" "$(verdict here 'pressure (PSI)')"
	check_equal "here: cgroup v2" "$(readable /sys/fs/cgroup/cgroup.controllers limited)" "$(verdict here 'cgroup v2')"
	check_equal "here: kprobes" "$(readable /sys/bus/event_source/devices/kprobe/type limited)" "$(verdict here kprobes)"
	check_number "here: functions" "$(grep -c ' [tT] [^[]*$' /proc/kallsyms) > 1000 && \
		0$(sed -n 's/^kernel names .* names \([0-9]*\) functions$/\1/p' "$scratch/here.out") > 1000"
}

# Without rights nothing is tried, and the missing capabilities are listed.
test_nobody() {
	both nobody setpriv --reuid 65534 --regid 65534 --clear-groups
	check_equal "nobody: capabilities, walks" "no ?" "$(verdict nobody capabilities) $(verdict nobody walks)"
	check "nobody: names what is missing" grep -q 'CAP_BPF CAP_PERFMON CAP_SYSLOG' "$scratch/nobody.out"
}

test_one_missing() {
	both one_missing setpriv --bounding-set -syslog --inh-caps -syslog
	check "one missing: it is named alone" grep -q '^capabilities  *no  *missing: CAP_SYSLOG$' "$scratch/one_missing.out"
}

test_masked() {
	both masked unshare -m sh -c 'mount --bind /dev/null /proc/kallsyms && exec "$@"' sh
	check_equal "masked: kernel names" no "$(verdict masked 'kernel names')"
}

test_no_tracefs() {
	both no_tracefs unshare -m sh -c 'mount -t tmpfs none /sys/kernel && mkdir -p /sys/kernel/btf && exec "$@"' sh
	check_equal "no tracefs: tracefs, types" "limited no" \
		"$(verdict no_tracefs tracefs) $(verdict no_tracefs 'kernel types (BTF)')"
}

# Numbers of processes that are not the kernel's: refused, whatever is asked for.
test_own_pids() {
	unshare -pf --mount-proc true 2>/dev/null || return 0
	both own_pids unshare -pf --mount-proc
	check_equal "own pids: the row" no "$(verdict own_pids 'pid namespace')"
	check "own pids: what to do" grep -q 'error: .*own pid namespace.*hostPID: true' "$scratch/own_pids.log"
	check_equal "the host's pids beside other namespaces of its own" yes "$(verdict masked 'pid namespace')"
}

# Another time than the kernel's: the recorder leaves it, the command does not.
test_own_time() {
	local own="unshare -T --monotonic 864000 --boottime 864000 --fork"
	$own true 2>/dev/null || return 0
	both own_time $own
	check_equal "own time: the row" yes "$(verdict own_time 'time namespace')"
	run_ok command $own "$scratch/rwalker-record" --offcpu 60 -o "$scratch/time.rwk" -- \
		sh -c "cat /proc/uptime; sleep 0.5"
	check_number "the command's time" "$(cut -d. -f1 "$scratch/command.out") > 864000"
	run_ok waits "$report" --no-local-files --summary -c '^sleep$' "$scratch/time.rwk"
	check_number "ms that it was blocked" "$(awk '/ sleep tid / { print $5 }' "$scratch/waits.out") > 450"
}

need_recording
need_tool setpriv unshare
chmod 755 "$scratch"
install -m 755 "$record" "$scratch/rwalker-record"
test_here
test_nobody
test_one_missing
test_masked
test_no_tracefs
test_own_pids
test_own_time
finish
