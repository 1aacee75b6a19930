#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# time-limit: 600
#
# A host short of memory: in a guest of 256 MB the kernel kills a process while the recorder records everything. The
# recording continues, its trace is complete, and a program that is started afterwards has its names.
. "$(dirname "$0")/../vm/lib.sh"

# samples COMM [WORD] : number of samples of that comm in the CPU profile, in that function
samples() { awk -v comm="$1" -v word="${2:-}" '$1 ~ "^" comm ";" && index($0, word) { n += $NF } END { print n + 0 }' "$dir/oom.folded"; }

judge_kernel() { # NAME
	recorded "$1/run" oom || return
	verdict "$1/killed" "the kernel killed nobody: $(cat "$dir/killed" "$dir/memory")" grep -q '(hog)' "$dir/killed"
	reported "$dir/oom.info" 0 --info "$dir/oom.rwk"
	verdict "$1/whole" "$(tail -n 3 "$dir/oom.info")" grep -q 'no damage was found' "$dir/oom.info"
	reported "$dir/oom.folded" 0 --folded --source cpu "$dir/oom.rwk"
	late=$(samples late) named=$(samples late work_)
	verdict "$1/late" "$named of $late samples are named" [ "$late" -ge 100 ]
	verdict "$1/late-named" "$named of $late samples are named" [ $((named * 100)) -ge $((late * 90)) ]
}

need_programs
mkdir -p "$RESULTS"
for kernel in $(kernels 6.12-cloud); do
	boot "oom-$kernel" "$kernel" oom.sh 2 mem=256M && judge_kernel "$kernel"
done
