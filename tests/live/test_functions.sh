#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# --functions and --top-down compared with perf report --children of the same run: self and total of each function of
# the program and of the kernel are as close as samples taken at other moments can be.
# two tries: compared with another recorder, which does not observe exactly the same moments.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/waits_lib.sh"

readonly LEAST=1000
export PERF_STACKS=dwarf,4096 # by frame pointers, perf skips the caller of a wrapper of a system call; we do not

# record_both WORKLOAD COMMS SECONDS: false if either has too few samples. perf counts threads of other comms in spite
# of --comms, so it gets no filter: all its samples are of the workload. The rates differ, because otherwise one
# recorder would always sample at the end of the other's interrupt.
record_both() {
	local filter=(-q --throughout --min-percent 0 --source cpu -c "^($2)\$" "$scratch/$1.rwk")
	run_ok "$1" "$record" --force -u -f 2999 -o "$scratch/$1.rwk" -- \
		bash -c 'beside_perf "$@"' - 2503 "$scratch/$1.data" "$workloads/$1" "$3" || return
	perf report -i "$scratch/$1.data" --children --stdio -g none --percent-limit 0 --no-inline \
		--sort dso,symbol -F overhead_children,overhead,sample,dso,symbol -t ';' >"$scratch/$1.perf" 2>"$scratch/$1.said" ||
		die "perf report: $(tail -n 1 "$scratch/$1.said")"
	"$report" --functions "${filter[@]}" >"$scratch/$1.functions" 2>/dev/null
	"$report" --top-down "${filter[@]}" >"$scratch/$1.top_down" 2>/dev/null
	[ "$(awk -F';' '!/^#/ { sum += $3 } END { print sum + 0 }' "$scratch/$1.perf")" -ge $LEAST ] &&
		[ "$(sed -nE '1s/.*: ([0-9]+) samples.*/\1/p' "$scratch/$1.functions")" -ge $LEAST ]
}

compared() { # WORKLOAD COMMS
	growing "$(at_level 1 10)" record_both "$1" "$2" || fail "$1: too few samples"
	judged python3 -B "$here/tests/live/functions_perf_check.py" \
		"$scratch/$1.perf" "$scratch/$1.functions" "$scratch/$1.top_down" "$1"
}

need_recording
need_tool perf python3
compared kernel_paths kernel_paths
compared cpu_paths 'cpu_paths|cpu_thread'
finish
