#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Processes that live for milliseconds, exec chains and fork chains: every sample has
# the right comm and the right module. The three fruit programs have the same layout
# and different names, so a wrong module shows as a wrong name.
. "$(dirname "$0")/lib.sh"

processes=$(at_level 500 2000)
f=$scratch/churn.folded

record_churn() {
	run_ok churn "$record" -u -f 999 -o "$scratch/churn.rwk" -- "$workloads/churn" "$processes" 3 ||
		die "nothing was recorded"
	folded "$scratch/churn.rwk" >"$f"
}

check_one_comm() { # COMM FUNCTION
	local under elsewhere
	under=$(folded_sum "$f" "^$1;.*;$2(;| )")
	elsewhere=$(grep -v "^$1;" "$f" | folded_sum - ";$2(;| )")
	check_number "$2 under $1: $under samples" "$under > $processes / 6"
	check_equal "samples of $2 under another comm" 0 "$elsewhere"
}

test_comm_and_function() {
	local word comm function module
	while read -r word comm function module; do
		[ "$word" = expect ] && check_one_comm "$comm" "$function"
	done <"$scratch/churn.out"
}

# Every address is in a mapping, and those of these programs have names. A few samples are taken during
# an exec, when the registers hold only addresses of the old program.
test_nothing_unknown() {
	local unknown all
	all=$(folded_sum "$f" '^churn_')
	unknown=$(folded_sum "$f" '^churn_.*;\[(unknown|churn[^];]*)\](;| )')
	check_number "samples with a frame that has no name: $unknown of $all" \
		"$unknown <= 0.02 * $all"
}

# No sample is missing: they add up to the CPU time that the kernel accounts.
test_complete() {
	local expect got
	expect=$(awk -v hz="$(source_field "$scratch/churn.rwk" frequency)" '/^cpu_ns/ { print $2 * hz / 1e9 }' "$scratch/churn.out")
	got=$(folded_sum "$f" '^churn')
	check_number "samples: $got, CPU time of the processes gives $expect" \
		"$got > 0.93 * $expect && $got < 1.10 * $expect"
}

test_modules_in_dump() {
	"$report" --dump "$scratch/churn.rwk" >"$scratch/dump"
	local fruit
	for fruit in apple berry cherry; do
		check "module churn_$fruit in --dump" grep -q "/churn_$fruit" "$scratch/dump"
	done
}

need_recording
record_churn
test_comm_and_function
test_nothing_unknown
test_complete
test_modules_in_dump
finish
