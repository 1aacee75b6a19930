#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Which kernel locks threads waited for, and who held them, compared with a workload whose threads hold a pipe's
# mutex, an inode's rwsem and the mmap_lock while others want them.
# two tries: a wait is shorter than -m, and has no record, if the host takes the CPU away from the thread first.
. "$(dirname "$0")/lib.sh"

need_offcpu
rounds=$(at_level 40 1000)

recorded locks "$record" --force --offcpu 0 -m 100us -o "$scratch/locks.rwk" -- "$workloads/locks" "$rounds" "$scratch/file"
cp "$scratch/locks.out" "$scratch/locks.truth"
check_equal "the workload ran on all locks" 4 "$(grep -c '^w-' "$scratch/locks.truth")"
judged python3 -B "$here/tests/live/objects_check.py" locks "$scratch/locks.rwk" "$scratch/locks.truth" "$rounds"

"$report" --waits-on=lock "$scratch/locks.rwk" >"$scratch/view" 2>/dev/null
check "--waits-on says who held the mutex" grep -qE ' lock +w-pipe +in write on mutex #[0-9]+ \(held (at first )?by h-pipe [0-9]+\)$' "$scratch/view"
check "--waits-on says who held the rwsem" grep -qE ' lock +w-file +in write on rwsem #[0-9]+ \(held (at first )?by h-file [0-9]+\)$' "$scratch/view"
check "--waits-on says whose mmap_lock it was" grep -qE ' lock +w-mmap +in mmap on mmap_lock of ' "$scratch/view"
check "no address of the kernel is in the trace" lacks -aE 'ffff[89a-f][0-9a-f]{11}' \
	<("$report" --dump "$scratch/locks.rwk" | grep -aE '^  (object|wait) ')

# chains_of COMM: what its waits were held up by.
chains_of() { "$report" --chains="^$1\$" --throughout "$scratch/convoy.rwk" 2>/dev/null; }

# A lock that four threads hold in turn, while the last one waits for all of that time, and one that is held throughout.
# All of them waited before the recording began, which nobody saw.
test_convoy() {
	mkfifo "$scratch/keys"
	start python3 -B "$here/tests/live/processes.py" convoy 4 "$scratch/keys" >"$scratch/convoy.truth"
	wait_for 60 grep -q asleep "$scratch/convoy.truth" || die "the convoy does not form"
	recorded convoy "$record" --force --offcpu 0 --wakers -u --system-wide --pid "$(pgrep -P "$started" | paste -sd,)" -o "$scratch/convoy.rwk" -- \
		sh -c "printf xx >$scratch/keys; until grep -q 'read 1' $scratch/convoy.truth; do sleep 0.05; done; sleep 0.1"
	kill "$started"
	check "a lock that was waited for before the start" grep -qE '^>>> .*cv-1 blocked in .*, in read on mutex #' <(chains_of cv-1)
	check "who holds it in the end" grep -qE '^>>> 100.*cv-3 blocked in .* on mutex #[0-9]+ \(held by cv-2 [0-9]+\)' <(chains_of cv-3)
	check "the last wait is that of the last owner" grep -qE 'held by cv-2, which was blocked in .*, in read on mutex #' <(chains_of cv-3)
	check "an owner that let go is not blamed" lacks 'held.* by cv-[01], which' <(chains_of cv-3)
	check "an owner that holds throughout is named" grep -qE '100.00%--held by kp-0, which|^ +held by kp-0, which was blocked in wait_woken' <(chains_of kp-3)
}

test_convoy
finish
