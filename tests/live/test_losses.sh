#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Loss identity per CPU: what the kernel produced = what was recorded + what was lost by
# cause; also when the ring overflows and while the recorder is stopped.
. "$(dirname "$0")/lib.sh"

# losses NAME: the table of "rwalker-report --info", as "cpu produced recorded lost..." lines.
losses() { "$report" --info "$scratch/$1.rwk" >"$scratch/$1.info" 2>"$scratch/$1.note"; }

start_load() {
	start "$workloads/burn" load_user 600
	start "$workloads/burn" load_kernel 600 kernel
}

# Each row of the loss table must add up, and there is one per online CPU.
check_identity() { # NAME
	losses "$1"
	local rows
	rows=$(identity_rows "$1")
	check_equal "$1: CPUs in the loss table" "$(nproc)" "$(wc -l <<<"$rows")"
	check_equal "$1: rows that do not add up" "" \
		"$(awk '{ sum = 0; for (i = 3; i <= NF; i++) sum += $i; if ($2 != sum) print }' <<<"$rows")"
	check_number "$1: events produced" "$(awk '{ s += $2 } END { print s + 0 }' <<<"$rows") > 1000"
	recorded=$(awk '{ s += $3 } END { print s + 0 }' <<<"$rows")
	lost=$(awk '{ for (i = 4; i <= NF; i++) s += $i } END { print s + 0 }' <<<"$rows")
}

# "  CPU n  produced recorded lost-by-cause..." of --info, numbers only.
identity_rows() {
	sed -nE 's/^ *cpu *([0-9]+) *//Ip' "$scratch/$1.info" | grep -E '^[0-9 ]+$' | awk '{ print NR - 1, $0 }'
}

check_counted() { # NAME: the samples in the file are those that are said to be there
	check_equal "$1: samples in the file" "$recorded" "$("$report" --folded "$scratch/$1.rwk" 2>/dev/null |
		folded_sum /dev/stdin)"
}

test_quiet() {
	run_ok quiet "$record" -p 3 -u -f 4000 -o "$scratch/quiet.rwk"
	check_identity quiet
	check_counted quiet
	check_equal "lost without pressure" 0 "$lost"
	run_code quiet 0 "$report" --tree "$scratch/quiet.rwk"
}

test_small_ring() {
	"$record" -p 5 -u -f 20000 --ringbuf-size 1 -o "$scratch/tiny.rwk" 2>/dev/null
	check_identity tiny
	check_counted tiny
}

# A recorder that does not run for three seconds cannot drain: lost, and counted.
test_stopped_recorder() {
	"$record" -p 8 -u -f 20000 --ringbuf-size 1 -o "$scratch/stopped.rwk" 2>"$scratch/stopped.err" &
	local recorder=$!
	children="$children $recorder"
	sleep 3
	kill -STOP "$recorder"
	sleep 3
	kill -CONT "$recorder"
	wait "$recorder"
	check_number "exit code" "$? == 0 || $? == 3"
	check_identity stopped
	check_counted stopped
	check_number "lost while stopped" "$lost > 1000"
	"$report" --tree "$scratch/stopped.rwk" >/dev/null 2>"$scratch/tree.err"
	check_equal "exit code of a report with losses" 3 "$?"
}

need_recording
start_load
test_quiet
test_small_ring
test_stopped_recorder
finish
