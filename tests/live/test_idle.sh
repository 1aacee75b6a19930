#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A program whose pool does nothing, with a thread in D, one that holds a lock, and one that waits for the lock: the
# pool is one line below each report, the others are shown; with --idle, and in output for programs, the pool is
# shown, too. Clients of a stopped server: one that waits for its answer is a story, one that only keeps a connection
# open is idle. The check level tries two of four ways to wait.
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

test_stopped_server() { # FAMILY CALL : in which the clients wait
	local name=stopped-$1-$2
	start python3 -B "$here/tests/live/stopped_server.py" "$1" "$2" >"$scratch/$name.out" 2>&1
	local client=$started
	wait_for 60 grep -q ready "$scratch/$name.out" && wait_for 60 asleep "$client" p-asks &&
		wait_for 60 asleep "$client" p-keeps ||
		die "the clients do not start: $(cat "$scratch/$name.out")"
	recorded "$name" "$record" --force --offcpu 1 --wakers -c '^p-' -o "$scratch/$name.rwk"
	"$report" -q --digest "$scratch/$name.rwk" >"$scratch/$name.digest" 2>/dev/null
	check "$1, $2: the story is who waits for an answer" grep -qE '^story 1 +p-asks blocked in ' "$scratch/$name.digest"
	check "$1, $2: ... and who held it" grep -qE '^ +held by p-server blocked in do_signal_stop' "$scratch/$name.digest"
	check "$1, $2: there is no other" lacks 'story 2' "$scratch/$name.digest"
	check_equal "$1, $2: who is not idle" "p-asks p-server" \
		"$("$report" -q --summary "$scratch/$name.rwk" 2>/dev/null | grep -o ' p-[a-z]* tid' | cut -d' ' -f2 |
			sort | paste -sd' ')"
	check "$1, $2: --waits-on has what it left unread" grep -qE " p-server +stopped (→|->) fd [0-9]+, $1.* \(at its other end p-asks $client\)" \
		<("$report" -q --waits-on "$scratch/$name.rwk" 2>/dev/null)
	check "$1, $2: --chains says so" grep -q "unanswered by p-server" <("$report" -q --chains=p-asks "$scratch/$name.rwk" 2>/dev/null)
	kill -KILL "$client" # the server ends with it
	wait "$client" 2>/dev/null
}

# On other machines the kernel forgets which call a stopped thread was in.
if [ "$(uname -m)" = x86_64 ]; then
	test_stopped_server tcp recv
	[ "$level" = check ] || test_stopped_server unix recv
	[ "$level" = check ] || test_stopped_server tcp poll
	test_stopped_server unix select
fi
finish
