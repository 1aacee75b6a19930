#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# Threads that wait all the time, on a pipe, a condition and a child, are grouped by where they wait, below each view
# and in the digest; none of them is missing, none is in a tree beside the others. Their twins, which wait twice, in D,
# or for a lock, are in the tree and in no group. A wait that has not ended is followed to the child it is for.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/waits_lib.sh"

POOL=8

is_stuck() { grep -lx pool-stuck /proc/"$pid"/task/*/comm 2>/dev/null | sed 's/comm$/stat/' | xargs -r cat | grep -q ') D '; }

are_in_place() { # none of them runs again after this
	[ "$(grep -lx pool-idle /proc/"$pid"/task/*/comm 2>/dev/null | wc -l)" = $POOL ] &&
		[ "$(grep -lx pool-cond /proc/"$pid"/task/*/comm 2>/dev/null | wc -l)" = 2 ] &&
		asleep "$pid" 'pool|pool-idle|pool-cond' && is_stuck
}

view() { "$report" -q "$@" "$scratch/pool.rwk" 2>/dev/null; }

# Comms in the rows of --summary with their counts: "pool-idle 8".
rows() { view --summary "$@" | sed -nE 's/^ .* (pool[a-z-]*) tid .*/\1/p' | sort | uniq -c | awk '{ print $2, $1 }' | paste -sd' '; }

need_offcpu
start "$workloads/pool" $POOL >"$scratch/pool.out"
pid=$started
wait_for 60 grep -q ready "$scratch/pool.out" && wait_for 60 are_in_place || die "the workload does not start"
recorded pool "$record" --force --offcpu 1 --wakers -u -o "$scratch/pool.rwk"

busy="pool-holder 1 pool-stuck 1 pool-twice 2 pool-victim 1"
check_equal "rows of --summary" "$busy" "$(rows -c '^pool')"
check_equal "rows of --summary --throughout" "pool 1 pool-child 1 pool-cond 2 pool-holder 1 pool-idle $POOL pool-stuck 2 pool-twice 2 pool-victim 1" \
	"$(rows -c '^pool' --throughout)"
check_equal "rows of the crowd alone" "pool-idle $POOL" "$(rows -c '^pool-idle$')"

crowd="$POOL pool in (anon_|fifo_)?pipe_read \\(.*, 2 pool in futex_[a-z_]+ \\(.*, 1 pool in do_wait.*, 1 pool-child in "
for view in --tree --stacks --top-waits --functions --top-down --chains --wakers --events --histogram --summary '--at +0.5'; do
	# shellcheck disable=SC2086
	view $view -c '^pool' >"$scratch/view"
	check "$view: the groups" grep -qE "^# waited all the time: $crowd" "$scratch/view"
	check "$view: nothing else about them" lacks pool-idle <(grep -v '^#' "$scratch/view")
done
view --digest >"$scratch/digest"
check "the digest has the crowd" grep -qE "^waited +all the time, [0-9]+ threads: .*$POOL pool in [a-z_]*pipe_read" "$scratch/digest"
check "kernel threads that did nothing are only counted" grep -qE '; without [0-9]+ kernel threads? that did nothing' "$scratch/digest"
check "the first screen tells who hangs in D" grep -qE '^ +D: ' "$scratch/digest"
check "nobody is idle" lacks -iw idle "$scratch/digest"
view --digest -c '^pool$' >"$scratch/digest"
check "the story of who waits for a child" grep -qE '^ +waits for pool-child blocked in ' "$scratch/digest"
view --digest -c '^pool-(idle|cond)$' >"$scratch/digest"
check "no story about who waits for nobody" grep -qE '^stories +none: of 10 waits, ' "$scratch/digest"
check "--chains: the victim waits for who holds the lock" grep -q 'woken by pool-holder' <(view --chains -c '^pool-victim$')
check "--folded has the crowd" grep -q '^pool-idle;' <(view --folded --source offcpu)
finish
