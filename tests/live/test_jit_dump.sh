#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Code made at run time has the names in the process's jit-PID.dump: while the process lives, and after it has
# exited and its file is gone. Also the names in a perf-PID.map that a process left behind.
. "$(dirname "$0")/lib.sh"

check_named() { # NAME TRACE
	folded "$2" -U -c jit_dump >"$scratch/$1.folded"
	check_number "$1: samples in the compiled function" "$(folded_sum "$scratch/$1.folded" 'jitted_spin') >= 100"
	check_number "$1: share of them" \
		"$(folded_share "$scratch/$1.folded" 'jitted_spin' 'jit_dump') > 0.9"
}

# On a busy machine the recorder may not open a file within its deadline, which --info shows. Then the names are
# missing, and the test records once more.
test_gone() {
	local try
	for try in 1 2 3 4 5 6; do
		mkdir "$scratch/gone"
		run_ok "ends$try" "$record" -u -f 999 --force -o "$scratch/gone.rwk" -- \
			bash -c '"$1" "$2" 2 && rm -r "$2"' - "$workloads/jit_dump" "$scratch/gone" || return
		! has_samples "$scratch/gone.rwk" 1 jitted_spin || break
		! opened_in_time "$scratch/gone.rwk" || break
		echo "# gone: not opened in time, try $try"
	done
	check_named gone "$scratch/gone.rwk"
}

test_left_map() {
	local try
	for try in 1 2 3 4 5 6; do
		run_ok map "$record" -u -f 999 --force -o "$scratch/map.rwk" -- "$workloads/jit_dump" map 2 || return
		grep '^/tmp/perf-[0-9]*\.map$' "$scratch/map.out" | xargs -r rm -f
		! has_samples "$scratch/map.rwk" 1 jitted_spin && ! opened_in_time "$scratch/map.rwk" || break
		echo "# map: not opened in time, try $try"
	done
	check_named map "$scratch/map.rwk"
}

need_recording
test_left_map
mkdir "$scratch/lives"
test_gone
start "$workloads/jit_dump" "$scratch/lives" 600
wait_for 60 test -s "$scratch/lives/jit-$started.dump"
record_alive() { # SECONDS
	run_ok lives "$record" -p "$1" -u -f 999 --force --pid "$started" -o "$scratch/lives.rwk" || return
	has_samples "$scratch/lives.rwk" 100 jitted_spin && return
	has_samples "$scratch/lives.rwk" 100 && opened_in_time "$scratch/lives.rwk"
}
growing 1 record_alive
check_named lives "$scratch/lives.rwk"
finish
