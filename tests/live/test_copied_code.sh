#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# A program that moved its code to anonymous memory at the same address has the names of its file, and the report says
# so, whether it did that before or during the recording. A copy at another address has no names.
# two tries: shares of samples are compared with figures that also change when the host takes the processor away.
. "$(dirname "$0")/lib.sh"

need_recording
trace=$scratch/trace.rwk
place="in 1 process: compared, and named by the file"

# share NAME: how many of the program's samples are in that function, or in an interrupt of it.
share() { folded "$trace" -q -c copied >"$scratch/folded"; folded_share "$scratch/folded" ";$1[; ]"; }

says() { grep -c "memory without a file holds a copy of code of '$workloads/copied' $place" <("$report" --info -q "$trace" 2>/dev/null); }

is_named() { awk "BEGIN { exit !($(share copied_burns) > 0.8) }"; }

# On a busy machine the copy is not compared within the first second.
record_before() { # HOW SECONDS
	run_ok "before$1" "$record" -p "$2" "$1" --sw-perf -f 999 --force --pid "$started" -o "$trace" && is_named
}
record_told() { # TENTHS
	run_ok told "$record" -p 0 -u --sw-perf -f 999 --force -o "$trace" -- "$workloads/copied" told "$1" && is_named
}

# --- before ---
for how in -u --dwarf; do
	start "$workloads/copied" moved 600 >"$scratch/ready"
	wait_for 10 grep -q ready "$scratch/ready" || die "the workload does not start"
	check_number "no file is mapped with code there" "$(grep -c 'r-x.*/copied$' "/proc/$started/maps") == 0"
	growing 1 record_before "$how"
	kill "$started"
	: >"$scratch/ready"
	check_number "$how: named" "$(share copied_burns) > 0.8"
	check_number "$how: said" "$(says) == 1"
done

# --- meanwhile ---
growing 4 record_told
check_number "a mapping over the code: named" "$(share copied_burns) > 0.8"
check_number "a mapping over the code: said" "$(says) == 1"

# --- elsewhere ---
run_ok beside "$record" -p 0 -u --sw-perf -f 999 --force -o "$trace" -- "$workloads/copied" beside 4
check_number "a copy elsewhere: not named" "$(share copied_burns) == 0"
check_number "a copy elsewhere: code made at run time" "$(share '\[anon\]') > 0.8"
check_number "a copy elsewhere: nothing is said" "$(says) == 0"
finish
