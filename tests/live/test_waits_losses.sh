#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# Lost waits: a ring that is too small, a recorder that is stopped for 5 s, a full disk. All losses are counted: the
# workload's own switches = recorded + lost. Views say so and exit with 3. What was recorded is right.
# two tries: the workload reads clocks, which also stand still when the host takes the processor away.
# only recorder: every recorder on the host gets the storms of waits, and may lose some.
. "$(dirname "$0")/lib.sh"

# Switches of the storm's two threads by the kernel's count, plus two for their starts.
storm_waits() { sed -n 's/^thread .* nvcsw=\([0-9]*\) nivcsw=\([0-9]*\) .*/\1 \2/p' "$1" | awk '{ n += $1 + $2 + 1 } END { print n + 0 }'; }

# Losses of the source of waits, for all CPUs and causes: the last running totals.
loss_of() {
	"$report" --dump "$scratch/$1.rwk" 2>/dev/null | awk '
		$1 == "source" && $3 == "kind=2" { source = $2; sub(/^id=/, "source=", source) }
		$1 == "loss" && $5 ~ /^cause=(1|2|3|5|11)$/ && ($3 == source || $3 == "source=0") { sub(/.*=/, "", $6); last[$3 $4 $5] = $6 }
		END { for (place in last) sum += last[place]; print sum + 0 }'
}

# check_said NAME WORDS: views say it, and exit with 3.
check_said() {
	local view
	for view in --tree --chains --summary --info; do
		"$report" --no-local-files $view "$scratch/$1.rwk" >"$scratch/view" 2>&1
		check_equal "$1: exit code of '$view'" 3 $?
		check "$1: '$view' says so" grep -qiE "$2" "$scratch/view"
	done
}

# The storm's waits = recorded + lost, except for the few that its threads have after their last output.
check_sum() { # NAME
	local truth recorded lost
	truth=$(storm_waits "$scratch/$1.truth")
	recorded=$("$report" --dump "$scratch/$1.rwk" 2>/dev/null | awk '
		$1 == "chunk" { tasks = 0 }
		$1 == "task" { tasks++; storm[tasks] = /comm="p[io]ng"( cgroup=[0-9]+)?$/ }
		$1 == "wait" { sub(/^task=/, "", $3); n += storm[$3] }
		END { print n + 0 }')
	lost=$(loss_of "$1")
	echo "# $1: $truth waits of the storm, $recorded recorded, $lost lost"
	check_number "$1: some were lost" "$lost > 1000"
	check_number "$1: not all were lost" "$recorded > 1000"
	# Waits of other recorded tasks are lost, too: the shell, the main thread.
	check_number "$1: $truth waits = $recorded recorded + $lost lost" \
		"($recorded + $lost - $truth) ^ 2 <= (100 + 0.001 * $truth) ^ 2"
}

# storm_begins RECORDER: returns when the storm is under way; sets $storm to its process id.
storm_begins() {
	wait_for 60 pgrep -P "$1" -x waits >/dev/null || die "the storm does not begin"
	storm=$(pgrep -P "$1" -x waits)
	children="$children $storm"
	wait_for 60 has_switched 1000 || die "the storm does not begin"
}

# How often the storm's threads have been switched out, by the kernel's count.
switches() { cat /proc/"$storm"/task/*/status 2>/dev/null | awk '/ctxt_switches/ { n += $2 } END { print n + 0 }'; }
has_switched() { [ "$(switches)" -ge "$1" ]; }

# stop_until RECORDER SWITCHES [SECONDS]: stops it for that long, and until that many more switches have happened.
stop_until() {
	local switches
	kill -STOP "$1"
	switches=$(switches)
	sleep "${3-0}"
	wait_for 100 has_switched $((switches + $2)) || die "the storm is over"
	kill -CONT "$1"
}

# A running recorder drains a ring of 1 MB in time. One that is stopped six times (three times at the check level),
# each time for as many waits as would fill the ring at 32 bytes each, does not.
test_overflow() {
	"$record" --offcpu 0 -m 0 --wakers -u --ringbuf-size 1 --embed none -o "$scratch/over.rwk" -- \
		"$workloads/waits" storm 600 >"$scratch/over.truth" 2>"$scratch/over.err" &
	local recorder=$! least
	least=$(at_level 50000 1000000)
	children="$children $recorder"
	storm_begins "$recorder"
	for _ in $(seq "$(at_level 3 6)"); do
		wait_for 100 has_switched $(($(switches) + 5000))
		stop_until "$recorder" 32768
	done
	wait_for 300 has_switched "$least"
	kill -TERM "$storm"
	wait "$recorder"
	check_equal "exit code of a recorder that lost events" 3 "$?"
	check "the recorder says so" grep -qi lost "$scratch/over.err"
	check_sum over
	check_said over '^# .*\blost\b|^rwalker-report: .*\blost\b|lost  *[0-9]+ ring'
}

sleeps_begin() { # RECORDER
	local workload
	workload=$(pgrep -P "$1" -x waits) && asleep "$workload" 's(10|16|40|150)'
}

# Waits of 1 ms and more fit into the ring for 5 s, so nothing is lost: each wait is there, at its time.
test_stopped_quiet() {
	"$record" --offcpu 0 --wakers -u -o "$scratch/quiet.rwk" -- \
		"$workloads/waits" sleeps 6 >"$scratch/quiet.truth" 2>"$scratch/quiet.err" &
	local recorder=$!
	wait_for 60 sleeps_begin "$recorder"
	kill -STOP "$recorder"
	sleep 5
	kill -CONT "$recorder"
	wait "$recorder"
	echo $? >"$scratch/quiet.code"
}

# Stopped until as many waits have happened as would fill the ring of 8 MB at 32 bytes each; at the long level also
# for at least 5 s.
test_stopped_storm() {
	"$record" --offcpu 0 -m 0 --embed none -o "$scratch/stopped.rwk" -- \
		"$workloads/waits" storm 600 >"$scratch/stopped.truth" 2>"$scratch/stopped.err" &
	local recorder=$!
	storm_begins "$recorder"
	wait_for 100 has_switched $(($(switches) + 5000))
	stop_until "$recorder" 262144 "$(at_level 0 5)"
	kill -TERM "$storm"
	wait "$recorder"
	echo $? >"$scratch/stopped.code"
}

test_stopped() {
	start test_stopped_quiet
	local quiet=$started
	start test_stopped_storm
	wait "$quiet" "$started"
	check_equal "exit code of a recorder that was stopped" 0 "$(cat "$scratch/quiet.code")"
	check_waits quiet brackets comms paths:all
	check_equal "exit code of a recorder that was stopped in a storm" 3 "$(cat "$scratch/stopped.code")"
	check_sum stopped
}

# Sleeps, and a storm that goes on until some time after the recorder has reported that its disk is full.
until_full() {
	"$workloads/waits" sleeps "$sleeps" >"$scratch/full.truth" &
	"$workloads/waits" storm 100 >"$scratch/full.storm" &
	local storm=$!
	until grep -qi space "$scratch/full.err" || ! kill -0 $storm; do read -rt 0.1 <>"$scratch/never"; done
	sleep "$more"
	kill -TERM $storm
	wait
}

# Records in a mount namespace of its own, to a disk with room for 1 or 2 MB above the 64 MB that the recorder leaves
# free. The waits in the trace are complete up to a time, and right.
on_small_disk() {
	mount -t tmpfs -o size="${room}m" none "$scratch/disk" || exit 99
	"$record" --offcpu 0 -m 0 --wakers -u -o "$scratch/disk/full.rwk" -- bash -c until_full
	local code=$?
	cp "$scratch/disk/full.rwk" "$scratch/full.rwk"
	exit $code
}

# What the BPF programs recorded = the waits in the trace + what could no longer be written. Some waits in the trace
# had not ended: they come from the last look at all tasks, and are not switches that a program counts.
check_full_account() {
	local recorded written unwritten
	read -r recorded written unwritten < <("$report" --dump "$scratch/full.rwk" | awk '
		$1 == "source" && $3 == "kind=2" { source = $2; sub(/^id=/, "source=", source) }
		$1 == "loss" && $3 == source && $5 ~ /^cause=(12|21)$/ { sub(/.*=/, "", $6); last[$5 $4] = $6 }
		$1 == "wait" { waits++ }
		END { for (place in last) sum[place ~ /^cause=12/] += last[place]; print sum[1] + 0, waits + 0, sum[0] + 0 }')
	echo "# full disk: $recorded waits recorded, $written written, $unwritten not"
	check_number "some waits were not written" "$unwritten > 100"
	check_number "$recorded recorded waits are $written written and $unwritten unwritten" \
		"$written + $unwritten >= $recorded && $written + $unwritten - $recorded <= $(cat /proc/[0-9]*/task/*/comm 2>/dev/null | wc -l)"
}

test_full_disk() {
	local sleeps more room
	unshare --mount true 2>/dev/null || { echo "not run: no right to mount"; return; }
	mkdir "$scratch/disk"
	sleeps=$(at_level 1.5 3) more=$(at_level 0.3 1) # seconds
	room=$(at_level 65 66) # MB
	export -f on_small_disk until_full
	export scratch record workloads sleeps more room
	unshare --mount --propagation private bash -c on_small_disk >"$scratch/full.out" 2>"$scratch/full.err"
	check_equal "exit code with a full disk" 4 "$?"
	check "the recorder says so" grep -qiE 'space|full' "$scratch/full.err"
	check_waits full prefix comms
	check_full_account
	check_said full '(space|disk|full|ended early)'
}

need_offcpu
test_overflow
test_stopped
test_full_disk
finish
