#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Waits that get lost: a ring that is too small, a recorder that does not run for 5 s, a full disk. All of it is counted: what the
# workload's own switches are = what was recorded + what was lost; every view says so and exits 3; what was recorded is right.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/waits_lib.sh"

seconds=$(at_level 1.5 20)

# Switches of the storm's two threads by the kernel's count, and their two starts.
storm_waits() { sed -n 's/^thread .* nvcsw=\([0-9]*\) nivcsw=\([0-9]*\) .*/\1 \2/p' "$1" | awk '{ n += $1 + $2 + 1 } END { print n + 0 }'; }

# What was lost of the waits' source, all CPUs and causes: the running totals' last word.
loss_of() {
	"$report" --dump "$scratch/$1.rwk" 2>/dev/null | awk '
		$1 == "source" && $3 == "kind=2" { source = $2; sub(/^id=/, "source=", source) }
		$1 == "loss" && $5 ~ /^cause=(1|2|3|5|12)$/ && ($3 == source || $3 == "source=0") { sub(/.*=/, "", $6); last[$3 $4 $5] = $6 }
		END { for (place in last) sum += last[place]; print sum + 0 }'
}

# Every view says that events were lost, and exits 3; so does --info.
check_said() { # NAME [VIEW...]
	local view name=$1
	shift
	while read -r view; do
		# shellcheck disable=SC2086
		"$report" $view "$scratch/$name.rwk" >"$scratch/view" 2>&1
		check_equal "$name: exit code of '$view'" 3 "$?"
		check "$name: '$view' says that waits were lost" grep -qE '^# .*\blost\b|^rwalker-report: .*\blost\b' "$scratch/view"
	done < <(if [ $# -gt 0 ]; then printf '%s\n' "$@"; else waits_views; fi)
	run_code info 3 "$report" --info "$scratch/$name.rwk"
	check "$name: --info tells of the ring" grep -qi 'ring' "$scratch/info.out"
}

# The storm's waits = recorded + lost, to the few that its threads have after their last word.
check_sum() { # NAME
	local truth recorded lost
	truth=$(storm_waits "$scratch/$1.truth")
	recorded=$("$report" --dump "$scratch/$1.rwk" 2>/dev/null | awk '
		$1 == "chunk" { tasks = 0 }
		$1 == "task" { tasks++; storm[tasks] = /comm="p[io]ng"$/ }
		$1 == "wait" { sub(/^task=/, "", $3); n += storm[$3] }
		END { print n + 0 }')
	lost=$(loss_of "$1")
	echo "# $1: $truth waits of the storm, $recorded recorded, $lost lost"
	check_number "$1: some were lost" "$lost > 1000"
	check_number "$1: not all were lost" "$recorded > 1000"
	# Lost are also waits of others that are recorded: the shell, the main thread.
	check_number "$1: $truth waits = $recorded recorded + $lost lost" \
		"($recorded + $lost - $truth) ^ 2 <= (100 + 0.001 * $truth) ^ 2"
}

# A ring of 1 MB is drained in time by a recorder that runs; by one that runs only when nobody else wants to, it is not.
test_overflow() {
	"$record" --offcpu 0 -m 0 --wakers -u --ringbuf-size 1 -o "$scratch/over.rwk" -- \
		"$workloads/waits" storm "$seconds" >"$scratch/over.truth" 2>"$scratch/over.err" &
	local recorder=$!
	children="$children $recorder"
	for _ in 1 2 3 4 5 6; do
		sleep 0.2
		kill -STOP "$recorder"
		sleep 0.1
		kill -CONT "$recorder"
	done
	wait "$recorder"
	check_equal "exit code of a recorder that lost events" 3 "$?"
	check "the recorder says so" grep -qi lost "$scratch/over.err"
	check_sum over
	check_said over
}

stop_for_5_s() { # NAME: begun a second after the recorder
	sleep 1
	kill -STOP "$recorder"
	sleep 5
	kill -CONT "$recorder"
	wait "$recorder"
}

# With waits of 1 ms and more nothing need be lost in 5 s, and nothing is: each is there, at its time.
test_stopped_quiet() {
	"$record" --offcpu 0 --wakers -u -o "$scratch/quiet.rwk" -- \
		"$workloads/waits" sleeps 6 >"$scratch/quiet.truth" 2>"$scratch/quiet.err" &
	recorder=$!
	stop_for_5_s
	local code=$?
	echo $code >"$scratch/quiet.code"
}

test_stopped_storm() {
	"$record" --offcpu 0 -m 0 -o "$scratch/stopped.rwk" -- \
		"$workloads/waits" storm 6.5 >"$scratch/stopped.truth" 2>"$scratch/stopped.err" &
	recorder=$!
	stop_for_5_s
	local code=$?
	echo $code >"$scratch/stopped.code"
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
	check_said stopped --tree --summary
}

# In a namespace of its own: a disk with room for 2 MB above the 64 MB that the recorder leaves free. The waits that reached it are all of their time, and right.
on_small_disk() {
	mount -t tmpfs -o size=66m none "$scratch/disk" || exit 99
	"$record" --offcpu 0 -m 0 --wakers -u -o "$scratch/disk/full.rwk" -- \
		sh -c '"$0" sleeps 3 >"$1/full.truth" & "$0" storm 3 >"$1/full.storm"; wait' "$workloads/waits" "$scratch"
	local code=$?
	cp "$scratch/disk/full.rwk" "$scratch/full.rwk"
	exit $code
}

# What the programs recorded = the waits in the trace + what could not be written any more, of which some had not ended: they
# come from the last look at all tasks, and are no switch that a program counts.
check_full_account() {
	local recorded written unwritten
	read -r recorded written unwritten < <("$report" --dump "$scratch/full.rwk" | awk '
		$1 == "source" && $3 == "kind=2" { source = $2; sub(/^id=/, "source=", source) }
		$1 == "loss" && $3 == source && $5 ~ /^cause=(13|22)$/ { sub(/.*=/, "", $6); last[$5 $4] = $6 }
		$1 == "wait" { waits++ }
		END { for (place in last) sum[place ~ /^cause=13/] += last[place]; print sum[1] + 0, waits + 0, sum[0] + 0 }')
	echo "# full disk: $recorded waits recorded, $written written, $unwritten not"
	check_number "some waits were not written" "$unwritten > 100"
	check_number "$recorded recorded waits are $written written and $unwritten unwritten" \
		"$written + $unwritten >= $recorded && $written + $unwritten - $recorded <= $(cat /proc/[0-9]*/task/*/comm 2>/dev/null | wc -l)"
}

test_full_disk() {
	local view code
	unshare --mount true 2>/dev/null || { echo "not run: no right to mount"; return; }
	mkdir "$scratch/disk"
	export -f on_small_disk
	export scratch record workloads
	unshare --mount --propagation private bash -c on_small_disk >"$scratch/full.out" 2>"$scratch/full.err"
	check_equal "exit code with a full disk" 4 "$?"
	check "the recorder says so" grep -qiE 'space|full' "$scratch/full.err"
	check_waits full prefix comms
	check_full_account
	while read -r view; do
		# shellcheck disable=SC2086
		"$report" $view "$scratch/full.rwk" >"$scratch/view" 2>&1
		code=$?
		check_number "exit code of '$view' is $code" "$code == 0 || $code == 3"
		check "'$view' says that the recording ended early" \
			grep -qiE '^(# |rwalker-report: ).*(space|disk|full|ended early)' "$scratch/view"
	done < <(waits_views)
}

need_offcpu
test_overflow
test_stopped
test_full_disk
finish
