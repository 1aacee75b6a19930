#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# Code made at run time has the names in the process's perf-PID.map: while the process lives, and after it has exited.
. "$(dirname "$0")/lib.sh"

check_named() { # NAME
	folded "$scratch/$1.rwk" -U -c perf_map >"$scratch/$1.folded"
	check_number "$1: samples in the compiled function" "$(folded_sum "$scratch/$1.folded" 'jitted_spin') >= 100"
	check_number "$1: share of them" "$(folded_share "$scratch/$1.folded" 'jitted_spin' 'perf_map') > 0.9"
}

# On a busy machine the recorder may not open a file within its deadline, which --info shows. Then the names are
# missing, and the test records once more.
test_left_map() {
	local try
	for try in 1 2 3 4 5 6; do
		run_ok left "$record" -u -f 999 --force -o "$scratch/left.rwk" -- "$workloads/perf_map" map 2 || return
		grep '^/tmp/perf-[0-9]*\.map$' "$scratch/left.out" | xargs -r rm -f
		! has_samples "$scratch/left.rwk" 1 jitted_spin && ! opened_in_time "$scratch/left.rwk" || break
		echo "# left: not opened in time, try $try"
	done
	check_named left
}

record_alive() { # SECONDS
	run_ok lives "$record" -p "$1" -u -f 999 --force --pid "$started" -o "$scratch/lives.rwk" || return
	has_samples "$scratch/lives.rwk" 100 jitted_spin && return
	has_samples "$scratch/lives.rwk" 100 && opened_in_time "$scratch/lives.rwk"
}

need_recording
test_left_map
start "$workloads/perf_map" map 600 >"$scratch/map.out"
wait_for 60 test -s "/tmp/perf-$started.map"
growing 1 record_alive
check_named lives
rm -f "/tmp/perf-$started.map"
finish
