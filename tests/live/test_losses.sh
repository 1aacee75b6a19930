#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Loss identity per CPU: what the kernel produced = what was recorded + what was lost by
# cause; also when the ring overflows and while the recorder is stopped.
. "$(dirname "$0")/lib.sh"

start_load() {
	start "$workloads/burn" load_user 600
	start "$workloads/burn" load_kernel 600 kernel
}

# "CPU n: A seen = B recorded + C idle + ... ; D more were counted by the kernel and not
# delivered" of --info, as "seen recorded idle own filtered lost not-delivered".
seen_rows() {
	sed -nE 's/^ *CPU [0-9]+: ([0-9]+ seen.*)/\1/p' "$scratch/$1.info" | sed 's/[^0-9]/ /g' |
		awk '{ $1 = $1; print NF < 7 ? $0 " 0" : $0 }'
}

# The table under it: "wanted recorded lost-by-cause...".
wanted_rows() {
	sed -nE 's/^ *CPU [0-9]+ +([0-9 ]+)$/\1/p' "$scratch/$1.info"
}

# Everything that was seen is recorded, left out or lost; what is lost is lost by a cause; and
# the kernel's own count is that of a clock that ticks FREQ times a second for SECONDS.
check_identity() { # NAME FREQ SECONDS
	"$report" --info "$scratch/$1.rwk" >"$scratch/$1.info" 2>"$scratch/$1.note"
	seen_rows "$1" >"$scratch/seen"
	wanted_rows "$1" >"$scratch/wanted"
	check_equal "$1: CPUs in the account" "$(nproc) $(nproc)" \
		"$(wc -l <"$scratch/seen") $(wc -l <"$scratch/wanted")"
	check_equal "$1: seen = recorded + idle + own + filtered + lost" "" \
		"$(awk '$1 != $2 + $3 + $4 + $5 + $6' "$scratch/seen")"
	check_equal "$1: wanted = recorded + lost by cause" "" \
		"$(awk '{ sum = 0; for (i = 2; i <= NF; i++) sum += $i } $1 != sum' "$scratch/wanted")"
	check_equal "$1: both tables agree" "$(awk '{ print $2 + $6, $2 }' "$scratch/seen")" \
		"$(awk '{ print $1, $2 }' "$scratch/wanted")"
	check_equal "$1: CPUs whose clock does not add up" "" \
		"$(awk -v want=$(($2 * $3)) '{ n = $1 + $7 } n < 0.98 * want || n > 1.05 * want' "$scratch/seen")"
	recorded=$(awk '{ n += $2 } END { print n + 0 }' "$scratch/seen")
	lost=$(awk '{ n += $6 } END { print n + 0 }' "$scratch/seen")
}

check_counted() { # NAME: the samples in the file are those that are said to be there
	check_equal "$1: samples in the file" "$recorded" "$("$report" --folded "$scratch/$1.rwk" 2>/dev/null |
		folded_sum /dev/stdin)"
}

test_quiet() {
	run_ok quiet "$record" -p 3 -u -f 4000 -o "$scratch/quiet.rwk"
	check_identity quiet 4000 3
	check_counted quiet
	check_equal "lost without pressure" 0 "$lost"
	run_code quiet 0 "$report" --tree "$scratch/quiet.rwk"
}

test_small_ring() {
	"$record" -p 5 -u -f 20000 --ringbuf-size 1 -o "$scratch/tiny.rwk" 2>/dev/null
	check_identity tiny 20000 5
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
	check_identity stopped 20000 8
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
