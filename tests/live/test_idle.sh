#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A program whose pool does nothing, with a thread in D, one that holds a lock, and one that waits for the lock: the
# pool is one line below each report, the others are shown; with --idle, and in output for programs, the pool is
# shown, too.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/waits_lib.sh"

POOL=8

is_stuck() { grep -lx pool-stuck /proc/"$pid"/task/*/comm 2>/dev/null | sed 's/comm$/stat/' | xargs -r cat | grep -q ') D '; }

are_in_place() { # none of them runs again after this
	[ "$(grep -lx pool-idle /proc/"$pid"/task/*/comm 2>/dev/null | wc -l)" = $POOL ] && asleep "$pid" pool-idle && is_stuck
}

# Comms in the rows of --summary with their counts: "pool-idle 8".
rows() { "$report" -q --summary "$@" "$trace" 2>/dev/null | sed -nE 's/^ .* (pool-[a-z]*) tid .*/\1/p' | sort | uniq -c | awk '{ print $2, $1 }' | paste -sd' '; }

need_offcpu
trace=$scratch/pool.rwk
start "$workloads/pool" $POOL >"$scratch/pool.out"
pid=$started
wait_for 60 grep -q ready "$scratch/pool.out" && wait_for 60 are_in_place || die "the workload does not start"
recorded pool "$record" --force --offcpu 1 --wakers -u --pid "$pid" -o "$trace"

check_equal "rows of --summary" "pool-holder 1 pool-stuck 1 pool-victim 1" "$(rows)"
check_equal "rows of --summary --idle" "pool-holder 1 pool-idle $POOL pool-stuck 1 pool-victim 1" "$(rows --idle)"
check_equal "rows of the pool alone" "pool-idle $POOL" "$(rows -c '^pool-idle$')"
for view in --tree --stacks --top-waits --functions --top-down --chains --wakers --events --histogram --summary '--at +0.5'; do
	# shellcheck disable=SC2086
	"$report" -q $view "$trace" >"$scratch/view" 2>/dev/null
	check_equal "$view: lines about the pool" 1 "$(grep -cE "^# $POOL threads that did nothing, [0-9.]+ m?s in all: --idle shows them$" "$scratch/view")"
	check "$view: nothing else about it" lacks -E 'pool-idle|wait_for_work' "$scratch/view"
done
check "--chains: the victim waits for who holds the lock" grep -q 'woken by pool-holder' <("$report" --chains -c '^pool-victim$' "$trace" 2>/dev/null)
check "the first screen tells who hangs in D" grep -qE '^ +D: .* pool-stuck tid' <("$report" --digest "$trace" 2>/dev/null)
check "--folded has the pool" grep -q '^pool-idle;' <("$report" --folded --source offcpu "$trace" 2>/dev/null)
finish
