#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# Work that a timer starts (workloads/periodic.c), at the default rates: its share is within 1.5 points of the load's own count.
#
# A run of 2 s of CPU time gives about 8,000 samples, 6 to 15 % of them in the periodic work. If they fell at random, the standard
# deviation of the share would be 0.27 to 0.40 points, and the bound at least 3.7 of them. Samples that drift evenly through all
# phases scatter less. At 997 Hz, 4 s give 4,000: 0.38 to 0.56 points. If the bound is less than five standard
# deviations, five standard deviations are used instead. A sampling rate in step with the work is off by the whole
# share, or by 20 points or more. At the long level there are more loads, each recorded twenty times, and more rates
# given by option.
# two tries: shares of samples are compared with figures that also change when the host takes the processor away.
# alone: a load that gets too little CPU time makes up for missed periods.
. "$(dirname "$0")/lib.sh"

points=1.5
loads='timer:1000:62 timer:4000:250 timer:10000:620 thread:1000:62 thread:2500:155'

# one_run SECONDS LOAD [OPTION...]: a line "OWN_COUNT RECORDED BOUND", as fractions.
one_run() {
	local seconds=$1 kind period burn
	IFS=: read -r kind period burn <<<"$2"
	shift 2
	"$record" "$@" --sw-perf --embed none --force -o "$scratch/run.rwk" -- \
		"$workloads/periodic" "$kind" "$period" "$burn" "$seconds" >"$scratch/run.out" 2>"$scratch/run.err" ||
		{ fail "the recording failed: $(cat "$scratch/run.err")"; return 1; }
	"$report" --folded "$scratch/run.rwk" 2>"$scratch/folded.err" | grep -v ';calibrate;' >"$scratch/run.folded"
	awk -v points=$points '
		/^truth/ { own = $3; next }
		/;one_unit;(\[[^;]*;)*work_at_times/ { part += $NF }
		{ all += $NF }
		END {
			bound = all ? 5 * sqrt(own * (1 - own) / all) : 0
			print own, (all ? part / all : 0), (bound > points / 100 ? bound : points / 100)
		}' "$scratch/run.out" "$scratch/run.folded"
}

# check_load LOAD SECONDS [OPTION...]
check_load() {
	local load=$1 seconds=$2 own got bound run
	shift 2
	: >"$scratch/all"
	for ((run = 1; run <= runs; run++)); do
		read -r own got bound < <(one_run "$seconds" "$load" "$@")
		check_number "$load with $*, run $run: own count $own, recorded $got" \
			"${own:-0} > 0.03 && (${got:-0} - ${own:-0}) ^ 2 <= ${bound:-0} ^ 2"
		check "no word of a rate in step" lacks 'keeps step' "$scratch/run.err"
		echo "$own $got" >>"$scratch/all"
	done
	awk -v load="$load" -v how="$*" -v points=$points '
		{ off = $1 > $2 ? $1 - $2 : $2 - $1; within += off <= points / 100; worst = off > worst ? off : worst }
		END { printf "# %s, %s: %d of %d runs within %.1f points, worst %.2f\n", load, how, within, NR, points, 100 * worst }
	' "$scratch/all"
}

# A rate given by option is used, and one line says what it may miss.
test_asked_for() {
	local rate
	for rate in $(at_level 1000 '250 1000 4000'); do
		run_ok asked "$record" -u -f $rate --sw-perf --embed none --force -o "$scratch/asked.rwk" -- true
		check_equal "$rate: lines that say so" 1 "$(grep -c "$rate Hz keeps step" "$scratch/asked.err")"
		check "$rate is taken" grep -q " frequency=$rate " <("$report" --dump "$scratch/asked.rwk")
	done
	for rate in $(at_level 1999 '999 1999'); do
		run_ok asked "$record" -u -f $rate --sw-perf --embed none --force -o "$scratch/asked.rwk" -- true
		check "$rate: nothing to say" lacks 'keeps step' "$scratch/asked.err"
		check "$rate is taken" grep -q " frequency=$rate " <("$report" --dump "$scratch/asked.rwk")
	done
	recorded asked "$record" --offcpu 0.1 -f 1000 --embed none --force -o "$scratch/asked.rwk"
	check "nothing is sampled: nothing to say" lacks 'keeps step' "$scratch/asked.err"
}

need_recording
runs=$(at_level 1 20)
for load in $(at_level 'timer:1000:62 timer:4000:250 thread:1000:62' "$loads"); do check_load "$load" 2 -u; done
for load in $(at_level thread:1000:62 "$loads"); do check_load "$load" 4 --dwarf; done
test_asked_for
finish
