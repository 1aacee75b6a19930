#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# time-limit: 900
#
# Kernel functions and tracepoints on Debian's kernels: exact names, regular expressions, a module's functions;
# functions that cannot be traced, missed hits, a kernel that is locked down. Truth: the
# workload's own count of each call path (tests/live/workloads/calls.c), and the kernel's kprobe events with
# histograms by thread in the same run; judged by tests/live/points_check.py.
. "$(dirname "$0")/lib.sh"

# checked NAME RECORDING CHECK... : a verdict per line that the checker prints
checked() {
	checked_name=$1 checked_run=$2
	shift 2
	[ -s "$dir/$checked_run.rwk" ] || { not_ok "$checked_name" "there is no trace"; return; }
	{ python3 -B tests/live/points_check.py "$REPORT" "$dir/$checked_run.rwk" "$dir/$checked_run.truth" "$@" 2>&1 ||
		echo "no checker: it ended with $?"; } |
		sed -E "s|^yes |ok $checked_name/|; s|^no (.*): ([^:]*)\$|not ok $checked_name/\\1 - \\2|; s|^no |not ok $checked_name/|"
}

# counted NAME RECORDING CHECK... : the same for a run in which nothing may be missing
counted() {
	counted_name=$1 counted_run=$2
	shift 2
	recorded "$counted_name/run" "$counted_run" &&
		checked "$counted_name" "$counted_run" account lost:0 counts:"$dir/$counted_run.counts" "$@"
}

says() { # NAME RECORDING WORDS
	verdict "$1" "'$3' is not in: $(tail -n 3 "$dir/$2.err" | tr '\n' ' ')" grep -qF -- "$3" "$dir/$2.err"
}

# refused NAME RECORDING WORDS : one line, exit 1, no file
refused() {
	verdict "$1/code" "exit code $(time_of "$2" 3)" [ "$(time_of "$2" 3)" = 1 ]
	verdict "$1/line" "more or less than a line: $(cat "$dir/$2.err")" [ "$(wc -l <"$dir/$2.err")" = 1 ]
	says "$1/says" "$2" "$3"
	verdict "$1/no-file" "'$dir/$2.rwk' is there" [ ! -e "$dir/$2.rwk" ]
}

judge_locked() { # NAME
	if grep -q 'no lockdown' "$dir/test.log"; then
		skip_one "$1" "$(grep 'no lockdown' "$dir/test.log")"
		return
	fi
	for run in locked locked-cpu; do refused "$1/$run" $run 'locked down'; done
}

judge_kernel() { # NAME
	set=kprobe.multi one=fentry missed=missed:bpf_ktime_get_ns=getppid
	case $1 in 6.1-*) set=kprobe ;; esac
	case $1 in *-rt) one=kprobe missed= ;; esac # tasks preempt each other there; nested programs are not counted
	counted "$1/exact" exact hook:$one probes:vfs_write paths:write,pwrite64@vfs_write comms:calls,calls-two leaves frames
	counted "$1/regex" regex hook:$set probes:do_sys_openat2,hrtimer_nanosleep,vfs_write \
		paths:write,pwrite64@vfs_write paths:openat@do_sys_openat2 paths:clock_nanosleep@hrtimer_nanosleep leaves frames
	counted "$1/several" several "hook:$one,raw tracepoint,tracepoint" leaves at-least:sys_exit_openat=openat \
		probes:do_sys_openat2,raw_syscalls:sys_enter,syscalls:sys_exit_openat,vfs_write
	says "$1/forbidden" several "cannot trace 'do_int3': the kernel forbids probes there"
	says "$1/notrace" several "cannot trace 'sched_clock': the kernel does not allow it"
	counted "$1/module" module hook:$one probes:linear_map paths:pread64@linear_map leaves frames
	checked "$1/missed" missed account calls:sys_enter_getppid=getppid ${missed:+at-least:bpf_ktime_get_ns=getppid} $missed
	lost=3
	[ -n "$missed" ] || { "$REPORT" --info -q "$dir/missed.rwk" >"$dir/missed.info" 2>&1; lost=$?; } # nested ones may be lost there, or not
	verdict "$1/missed/code" "exit code $(time_of missed 3), not $lost" [ "$(time_of missed 3)" = $lost ]
	[ $one = kprobe ] || checked "$1/inside" inside account leaves nested:_raw_spin_unlock_irqrestore
	refused "$1/mistyped" mistyped "did you mean 'vfs_write'?"
	judge_preempt "$1/preempt"
	judge_locked "$1/lockdown"
}

# Functions on a CPU whose tasks preempt each other: nothing is missing. RT kernels always preempt.
judge_preempt() { # NAME
	case $1 in *-rt/*) return ;; esac
	recorded "$1/four/run" four &&
		checked "$1/four" four hook:kprobe account lost:0 order leaves calls-at-most:vfs_read=40100 calls-at-most:vfs_write=40100
}

need_programs
command -v python3 >/dev/null || { echo "'python3' is not installed"; exit 77; }
mkdir -p "$RESULTS"
for kernel in $(kernels 6.12-cloud); do
	judged judge_kernel "points-$kernel" "$kernel" points.sh
done
exit 0
