#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# time-limit: 600
#
# Locks of Debian's kernels that waits were for: kinds and owners against a workload that knows them (tests/live/test_locks.sh), a
# mutex that is a variable by its name, a percpu-rwsem; and who held mutexes of processes (tests/live/test_mutexes.sh). What
# walked tasks sleep for, and who holds it (tests/live/test_walk_objects.sh); one that waits for a frozen file system.
. "$(dirname "$0")/lib.sh"

rounds=20

judge_kernel() { # NAME
	recorded "$1/locks" locks
	recorded "$1/mutexes" mutexes
	recorded "$1/others" others
	recorded "$1/asleep" asleep
	recorded "$1/frozen-walk" frozen
	rt=$(echo "$1" | grep -e -rt)
	old=$(echo "$1" | grep -e -rt -e '^6\.1-')
	{
		LOCKS_RT=$rt python3 -B tests/live/locks_check.py "$dir/locks.rwk" "$dir/locks.truth" $rounds
		MUTEXES_RT=$old python3 -B tests/live/mutexes_check.py "$dir/mutexes.rwk" "$dir/mutexes.truth" $rounds
		LOCKS_RT=$rt python3 -B tests/live/asleep_check.py "$dir/asleep.rwk" "$dir/asleep.truth"
	} 2>&1 | sed -E "s|^yes |ok $1/|; s|^no ([^:]*): (.*)\$|not ok $1/\\1 - \\2|; s|^no |not ok $1/|"
	for run in locks mutexes others; do
		reported "$dir/$run.view" 0 --waits-on=lock "$dir/$run.rwk"
		verdict "$1/$run-loads" "the kernel refuses a program" lacks 'refuses the program' "$dir/$run.err"
	done
	verdict "$1/walks-load" "the kernel refuses a program" lacks 'refuses the program' "$dir/asleep.err"
	reported "$dir/frozen.view" 0 --tasks "$dir/frozen.rwk"
	verdict "$1/frozen-task" "no task waits for the file system" \
		grep -qE '^comm touch pid [0-9]+ state D .*, in openat? on percpu-rwsem #[0-9]+ for reading$' "$dir/frozen.view"
	holder=$(cat "$dir/holder")
	if [ -n "$rt" ]; then
		verdict "$1/variable" "no wait for event_mutex" grep -qE ' sh +in write on rt-mutex event_mutex' "$dir/others.view"
	else
		verdict "$1/variable" "no wait for event_mutex" \
			grep -qE " sh +in write on mutex event_mutex \(held by sh $holder\)\$" "$dir/others.view"
	fi
	verdict "$1/frozen" "no wait for a percpu-rwsem" grep -qE ' touch +in openat? on percpu-rwsem #[0-9]+ for reading$' "$dir/others.view"
}

need_programs
mkdir -p "$RESULTS"
for kernel in $(kernels 6.1-cloud); do
	judged judge_kernel "locks-$kernel" "$kernel" locks.sh 2
done
exit 0
