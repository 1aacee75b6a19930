#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Who held the mutexes that threads waited for, compared with a workload whose threads and processes hold mutexes of
# all kinds, and use futexes that are not mutexes. Also in a pid namespace, where thread ids are small and belong to
# other threads outside.
# two tries: a wait is shorter than -m, and has no record, if the host takes the CPU away from the thread first.
. "$(dirname "$0")/lib.sh"

need_offcpu
rounds=$(at_level 40 1000)

record_mutexes() { # NAME COMMAND...
	local name=$1
	shift
	recorded "$name" "$record" --force --offcpu 0 --wakers -o "$scratch/$name.rwk" -- "$@"
	cp "$scratch/$name.out" "$scratch/$name.truth"
	check_equal "$name: the workload had all locks" 23 "$(grep -c '^w-' "$scratch/$name.truth")"
	judged python3 -B "$here/tests/live/objects_check.py" mutexes "$scratch/$name.rwk" "$scratch/$name.truth" "$rounds"
}

# Beside another, unrelated recorder that was started first.
start sleep infinity
start "$record" --force --offcpu 0 -m 0 --system-wide --pid "$started" -o "$scratch/beside.rwk" -- sh -c 'echo $$; exec sleep infinity' \
	>"$scratch/beside.out" 2>"$scratch/beside.err"
wait_for 60 grep -q . "$scratch/beside.out" || die "the other recorder does not start"
children="$children $(cat "$scratch/beside.out")"

record_mutexes here "$workloads/mutexes" "$rounds" "$scratch/shared"
record_mutexes namespace unshare --pid --fork "$workloads/mutexes" "$rounds" "$scratch/shared"

"$report" --waits-on=futex "$scratch/here.rwk" >"$scratch/view" 2>/dev/null
for kind in plain robust inherit shared-pi; do
	check "--waits-on says who held the $kind one" grep -qE " w-$kind +on futex .*\(held (at first )?by h-$kind [0-9]+\)\$" "$scratch/view"
done
for place in 'bss +on futex 0x[0-9a-f]+ in mutexes of mutexes [0-9]+' 'heap +on futex 0x[0-9a-f]+ in heap of mutexes [0-9]+' \
	'stack +on futex 0x[0-9a-f]+ in stack of mutexes [0-9]+' 'memory +on futex 0x[0-9a-f]+ of mutexes [0-9]+' \
	"in-file +on futex in shared file $scratch/shared\+0x[0-9a-f]+" 'shared-pi +on futex in shared memory [0-9]+\+0x[0-9a-f]+'; do
	check "--waits-on says where it is: $place" grep -qE " w-$place \(held (at first )?by " "$scratch/view"
done
check "--waits-on names no holder of a semaphore" lacks -E 'w-semaphore .*held ' "$scratch/view"
check "... nor one in another process" lacks -E 'w-shared(-rob)? .*held ' "$scratch/view"
finish
