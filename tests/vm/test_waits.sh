#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# time-limit: 900
#
# Waits on Debian's kernels: sleeps of known length, sleeps that began before the recording, a chain of three threads, a disk that
# takes 2 s, page faults on a slow one, spinning threads, short-lived processes with few free ids, the kernel's own
# account, threads whose quota is used up. Losses: tests/live/test_waits_losses.sh. On RT kernels, threads do what timer interrupts do elsewhere.
# Truth: the workload's own clocks (tests/live/workloads/waits.c), judged by tests/live/waits_check.py.
. "$(dirname "$0")/lib.sh"

# checked KERNEL/WORKLOAD RECORDING CHECK... : a verdict per line that the checker prints
checked() {
	checked_name=$1 checked_run=$2
	shift 2
	[ -s "$dir/$checked_run.rwk" ] || { not_ok "$checked_name" "there is no trace"; return; }
	{ WAITS_EMULATED=1 python3 -B tests/live/waits_check.py "$REPORT" "$dir/$checked_run.rwk" "$dir/${checked_name#*/}.truth" "$@" 2>&1 ||
		echo "no checker: it ended with $?"; } |
		sed -E "s|^yes |ok $checked_name/|; s|^no (.*): ([^:]*)\$|not ok $checked_name/\\1 - \\2|; s|^no |not ok $checked_name/|"
}

# On 6.1 with PREEMPT_RT, looking up a task's storage fails while the storage of an exited task is being freed on that CPU: a
# switch at that time is counted as lost.
few_lost() { # NAME RECORDING
	case $1 in 6.1-rt/*) ;; *) return 1 ;; esac
	[ "$(time_of "$2" 3)" = 3 ] && grep -qE ', [1-5] lost,' "$dir/$2.err" && echo "# $1: $(grep ' lost,' "$dir/$2.err")"
}

code_is() { # NAME RECORDING CODE
	if [ "$3" = 0 ] && few_lost "$1" "$2"; then ok "$1"; return; fi
	verdict "$1" "the recorder ended with $(time_of "$2" 3): $(tail -n 2 "$dir/$2.err" | tr '\n' ' ')" [ "$(time_of "$2" 3)" = "$3" ]
}

# Throttled time with the rest of the thread's time on run queues is what the kernel counted as such. The thread's end
# is not in its account. Per group: what its CPUs were throttled for, once for each thread there.
judge_quotas() { # NAME
	reported "$dir/quotas.view" 0 --summary "$dir/quotas.rwk"
	awk -v name="$1" '
		FNR == NR && $1 ~ /^[0-9]/ { for (i = 10; i + 3 <= NF; i++) if ($i == "tid") {
			runq[$(i + 1)] = $3; took[$(i + 1)] = $4; pid[$(i + 1)] = $(i + 3); all[$(i + 3)] += $4 } next }
		$1 == "quota" { sum = runq[$3] + took[$3]; group = $2; sub(/[0-9]*$/, "", group); process[group] = pid[$3]; count[group]++
			good = sum > $5 / 1e6 * 0.95 - 5 && sum < $5 / 1e6 * 1.05 + 300
			print good ? "ok " name "/" $2 : "not ok " name "/" $2 " - run queue " runq[$3] ", throttled " took[$3] ", queued " $5 }
		$1 == "group" { stat[$2] = $3 / 1e3 }
		END { for (group in count) { per = group == "wide-" ? 2 : 1
			want = stat[group] * per; limit = want * 1.05 + (want ? 2 : 0)
			sum = all[process[group]]
			good = sum <= limit + 100 * (per > 1) && sum >= want * 0.95 - 120 * count[group]
			print good ? "ok " name "/group-" group : "not ok " name "/group-" group " - " sum " of " want } }' \
		"$dir/quotas.view" "$dir/quotas.out"
	reported "$dir/quotas.top" 0 --top-waits --class throttled -c '^ten-' "$dir/quotas.rwk"
	verdict "$1/which" "the group is not named" grep -q 'throttled, by cgroup /ten- (quota 10 %)' "$dir/quotas.top"
}

judge_kernel() { # NAME
	timer=timer
	case $1 in *-rt) timer="timer-thread" ;; esac
	judge_quotas "$1/quotas"
	for run in longer each quotas; do code_is "$1/$run-run" $run 0; done
	checked "$1/early" longer early early-summary early-at
	checked "$1/sleeps" longer brackets comms least:1000 "wakers:s10=$timer,s40=$timer,s150=$timer"
	checked "$1/chain" longer brackets comms "wakers:chain-a=chain-b,chain-b=chain-c,chain-c=$timer" chains at:chain-a,chain-b,chain-c
	checked "$1/disk" longer brackets iowait:2000
	checked "$1/faults" longer brackets:rough iowait:40
	checked "$1/spin" longer spin
	checked "$1/account" each schedstat
	checked "$1/churn" each brackets comms
	checked "$1/cancelled" each cancelled
}

need_programs
command -v python3 >/dev/null || { echo "'python3' is not installed"; exit 77; }
mkdir -p "$RESULTS"
for kernel in $(kernels "6.1-cloud 6.12-rt"); do
	judged judge_kernel "waits-$kernel" "$kernel" waits.sh
done
exit 0
