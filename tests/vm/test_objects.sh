#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# time-limit: 1200
#
# What threads waited for on Debian's kernels. Locks: kinds and owners, compared with a workload that knows them
# (tests/live/test_locks.sh), the name of a mutex that is a variable, a percpu-rwsem; the holders of mutexes of
# processes (tests/live/test_mutexes.sh). Which descriptor ended a wait for several (tests/live/test_ready.sh).
# What walked tasks sleep on, and who holds it (tests/live/test_walk_objects.sh); a task that waits for a frozen file
# system, and one for a disk. What must not be said (tests/live/test_claims.sh). A host with control groups of version 1.
# At the long level also a lock that the recorder was the last to get for reading.
. "$(dirname "$0")/lib.sh"

rounds=20

judge_waits() { # NAME
	rt=$(echo "$1" | grep -e -rt)
	old=$(echo "$1" | grep -e -rt -e '^6\.1-')
	LOCKS_RT=$rt MUTEXES_RT=$old
	export LOCKS_RT MUTEXES_RT
	for workload in locks mutexes ready; do
		python3 -B tests/live/objects_check.py $workload "$dir/waits.rwk" "$dir/$workload.truth" $rounds 2>&1 | verdicts_of "$1"
	done
	read -r major minor <"$dir/block.truth"
	python3 -B tests/rwk_dump.py "$dir/waits.rwk" >"$dir/waits.dump"
	verdict "$1/block-device" "nothing of dm-$((0x$minor)): $(grep 'kind=19' "$dir/waits.dump" | head -n 3)" \
		grep -qE " kind=19 .* device=$((0x$major * 256 + 0x$minor)) inode=0 .* name=\"dm-$((0x$minor))\"" "$dir/waits.dump"
	reported "$dir/waits.view" 0 --waits-on=lock "$dir/waits.rwk"
	static="mutex event_mutex \\(held (at first )?by holds $(cat "$dir/holder")\\)\$"
	[ -z "$rt" ] || static='rt-mutex event_mutex'
	verdict "$1/variable" "no wait for event_mutex" grep -qE " sh +in write on $static" "$dir/waits.view"
	verdict "$1/frozen" "no wait for a percpu-rwsem" grep -qE ' touch +in openat? on percpu-rwsem #[0-9]+ for reading$' "$dir/waits.view"
}

# The holder of a lock that is held for reading is the last reader, but not the recorder.
judge_late() { # NAME
	recorded "$1/late" late || return
	reported "$dir/late.view" 0 --waits-on=lock -c '^mm-writer$' "$dir/late.rwk"
	verdict "$1/last-reader" "$(tail -n 1 "$dir/late.view")" \
		grep -qE ' mm-writer +in mmap on (mmap_lock of mm-writer|rt-mutex) [0-9]+( \(last read by mm-reader [0-9]+\))?$' "$dir/late.view"
}

judge_kernel() { # NAME
	if recorded "$1/waits" waits; then judge_waits "$1"; fi
	if recorded "$1/asleep" asleep; then
		ASLEEP_OLD=$(echo "$1" | grep -e '^6\.1-') python3 -B tests/live/objects_check.py asleep "$dir/asleep.rwk" "$dir/asleep.truth" 2>&1 | verdicts_of "$1"
		reported "$dir/asleep.view" 0 --tasks "$dir/asleep.rwk"
		verdict "$1/frozen-task" "no task waits for the file system" \
			grep -qE '^comm touch pid [0-9]+ state D .*, in openat? on percpu-rwsem #[0-9]+ for reading$' "$dir/asleep.view"
		verdict "$1/disk-task" "dd: $(grep '^comm dd ' "$dir/asleep.view")" \
			grep -qE '^comm dd pid [0-9]+ state D .*, in read of /mnt/b/cold$' "$dir/asleep.view"
	fi
	if recorded "$1/claims" claims; then
		python3 -B tests/live/objects_check.py claims "$dir/claims.rwk" "$dir/claims.truth" 2>&1 | verdicts_of "$1"
	fi
	for run in waits asleep claims; do
		verdict "$1/$run-loads" "the kernel refuses a program" lacks 'refuses the program' "$dir/$run.err"
	done
	! is_long || judge_late "$1"
	judge_version_1 "$1"
}

need_programs
VM_SECONDS=300
mkdir -p "$RESULTS"
for kernel in $(kernels "6.1-cloud 6.12-cloud"); do
	judged judge_kernel "objects-$kernel" "$kernel" objects.sh 2
done
exit 0
