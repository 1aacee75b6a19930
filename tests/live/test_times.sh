#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# two tries: other work may take the CPUs from threads whose quota is to be the cause
#
# What kept threads from running, in one recording: the quota of a control group, want of a CPU, both; threads that
# the freezer holds, of both versions, beside others that sleep. Truth: the kernel's account of each thread's time on
# run queues, which has both kinds, and that of the group's throttled time.
. "$(dirname "$0")/lib.sh"
need_recording

# The hierarchy with the controller: of version 1, else 2.
place_of() { # CONTROLLER
	awk -v name="$1" '$3 == "cgroup" && ("," $4 ",") ~ "," name "," { print $2; exit }' /proc/mounts
}
cpu=$(place_of cpu) freezer=$(place_of freezer) base=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
if [ -z "$cpu" ]; then
	cpu=$base
	grep -qw cpu "$base/cgroup.controllers" 2>/dev/null || skip "no control group has a CPU controller"
	echo +cpu >"$base/cgroup.subtree_control"
fi
[ -n "$base" ] || skip "there is no mount of cgroup2"

quota_group() { # NAME PERCENT
	make_cgroup "$cpu/rwalker-$1-$$"
	if [ -e "$cgroup/cpu.max" ]; then echo "$(($2 * 1000)) 100000" >"$cgroup/cpu.max"; else echo "$(($2 * 1000))" >"$cgroup/cpu.cfs_quota_us"; fi
}
throttled_ms() { awk '$1 == "throttled_time" { print $2 / 1e6 } $1 == "throttled_usec" { print $2 / 1e3 }' "$1/cpu.stat"; }

start bash -c 'exec -a iced bash -c "read -r <>$0"' "$scratch/never"; iced=$started
start bash -c 'while :; do :; done'; busy=$started
start bash -c 'read -r <>"$0"' "$scratch/never"; asleep=$started
make_cgroup "$base/rwalker-frozen-$$"; frozen=$cgroup
echo "$iced" >"$frozen/cgroup.procs"
hot=$base
if [ -n "$freezer" ]; then make_cgroup "$freezer/rwalker-frozen-$$"; hot=$cgroup; echo "$busy" >"$hot/cgroup.procs"; else echo "$busy" >"$frozen/cgroup.procs"; fi

quota_group ten 10; ten=$cgroup
quota_group both 50; both=$cgroup
cat >"$scratch/work" <<-END
	echo 1 >"$frozen/cgroup.freeze"
	[ -z "$freezer" ] || echo FROZEN >"$hot/freezer.state"
	"$workloads/accounted" quota ten- 1 1500 0 "$ten"
	"$workloads/accounted" quota want- 1 1500 0 - &
	"$workloads/accounted" quota both- 1 1500 0 "$both"
	wait
END
recorded t "$record" --force --system-wide --offcpu 0 --wakers -a -m 1 --embed none -o "$scratch/t.rwk" -- bash "$scratch/work"
mv "$scratch/t.out" "$scratch/truth"
echo 0 >"$frozen/cgroup.freeze"
[ -z "$freezer" ] || echo THAWED >"$hot/freezer.state"

"$report" --summary "$scratch/t.rwk" >"$scratch/summary" || fail "no summary"
if "$report" --info "$scratch/t.rwk" | grep -q '^throttling *unknown'; then skip "this kernel does not tell throttled time"; fi
# part TID FIELD: 3 run queue, 4 throttled, ms.
part() { awk -v tid="$1" -v field="$2" '$0 ~ " tid " tid " pid " { print $field; exit }' "$scratch/summary"; }
while read -r _ name tid ran queued; do
	echo "# $name: ran $ran, queued $queued ns; run queue $(part "$tid" 3), throttled $(part "$tid" 4) ms"
	# The account ends before the thread does.
	check_number "$name's time on run queues is that and throttled" \
		"($(part "$tid" 3) + $(part "$tid" 4)) > $queued / 1e6 * 0.95 - 5 && ($(part "$tid" 3) + $(part "$tid" 4)) < $queued / 1e6 * 1.05 + 300"
	case $name in
	ten-0) check_number "throttled as the group was" "$(part "$tid" 4) > $(throttled_ms "$ten") * 0.95 - 120 && $(part "$tid" 4) < $(throttled_ms "$ten") * 1.02 + 2" ;;
	both-0) check_number "throttled no longer than the group" "$(part "$tid" 4) < $(throttled_ms "$both") * 1.02 + 2" ;;
	want-0) check_equal "who only wants a CPU is throttled for" 0.000 "$(part "$tid" 4)" ;;
	esac
done <"$scratch/truth"
check_equal "threads" 3 "$(wc -l <"$scratch/truth")"

"$report" --top-waits --class throttled -c '^ten-' "$scratch/t.rwk" >"$scratch/top"
check "the group and its quota" grep -q "throttled, by cgroup .*/rwalker-ten-$$ (quota 10 %)" "$scratch/top"
"$report" --digest -c '^ten-' "$scratch/t.rwk" >"$scratch/digest" 2>&1
check "the digest says so" grep -q "throttled: .* by quotas of cgroups, most by cgroup .*/rwalker-ten-$$ (quota 10 %)" "$scratch/digest"
check "no waiting throttled beside it" eval '! "$report" --top-waits --class throttled -c "^want-" "$scratch/t.rwk" 2>/dev/null | grep -q longest'

# state_of PID: in a walk at the end of the recording, and of its last wait.
states_of() { "$report" --top-waits --throughout --pid "$1" "$scratch/t.rwk" 2>/dev/null | grep -o ', [A-Z] (frozen), \|, S, ' | sort -u | tr -d '\n'; }
for pid in $iced $busy; do
	check "frozen: $pid" grep -q 'F (frozen)' <(states_of "$pid")
	check "no call of what is frozen: $pid" eval '! "$report" --top-waits --throughout --state F --pid "$pid" "$scratch/t.rwk" | grep -q ", in "'
done
check "asleep is not frozen" eval '! grep -q frozen <(states_of "$asleep")'
"$report" --digest "$scratch/t.rwk" 2>/dev/null >"$scratch/all"
check "frozen in the digest" grep -q 'F: .* in [0-9]* threads\? that were frozen' "$scratch/all"
check "none of them in D" eval '! grep " D: " "$scratch/all" | grep -q "tid \($iced\|$busy\) "'
finish
