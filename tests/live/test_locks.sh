#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Which kernel locks threads waited for, and who held them, compared with a workload whose threads hold a pipe's
# mutex, an inode's rwsem and the mmap_lock while others want them.
# two tries: a wait is shorter than -m, and has no record, if the host takes the CPU away from the thread first.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/waits_lib.sh"

need_offcpu
rounds=$(at_level 40 1000)

recorded locks "$record" --force --offcpu 0 -m 100us -o "$scratch/locks.rwk" -- "$workloads/locks" "$rounds" "$scratch/file"
cp "$scratch/locks.out" "$scratch/locks.truth"
check_equal "the workload ran on three locks" 3 "$(grep -c '^w-' "$scratch/locks.truth")"
judged python3 -B "$here/tests/live/locks_check.py" "$scratch/locks.rwk" "$scratch/locks.truth" "$rounds"

"$report" --waits-on=lock "$scratch/locks.rwk" >"$scratch/view" 2>/dev/null
check "--waits-on says who held the mutex" grep -qE ' lock +w-pipe +in write on mutex #[0-9]+ \(held by h-pipe [0-9]+\)$' "$scratch/view"
check "--waits-on says who held the rwsem" grep -qE ' lock +w-file +in write on rwsem #[0-9]+ \(held by h-file [0-9]+\)$' "$scratch/view"
check "--waits-on says whose mmap_lock it was" grep -qE ' lock +w-mmap +in mmap on mmap_lock of ' "$scratch/view"
check "no address of the kernel is in the trace" lacks -aE 'ffff[89a-f][0-9a-f]{11}' \
	<("$report" --dump "$scratch/locks.rwk" | grep -aE '^  (object|wait) ')
finish
