#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# What must not be said of a wait, each beside what must: the object of a call that has not begun, that a fault
# interrupts, or that is over, or of a frozen thread; and, at the other end of a connection, a process of another network namespace.
. "$(dirname "$0")/lib.sh"

pid_of() { awk -v comm="$1" '$1 == comm { print $2 }' "$scratch/truth"; }

need_offcpu
start "$workloads/claims" "$scratch/direct" >"$scratch/truth" 2>"$scratch/said"
wait_for 60 grep -q ^ready "$scratch/truth" || {
	grep -qE 'userfaultfd|seccomp|unshare' "$scratch/said" && skip "$(cat "$scratch/said")"
	die "the workload does not start: $(cat "$scratch/said")"
}
if cgroup_of claims "$(pid_of w-iced)"; then
	pid_of w-spin >"$cgroup/cgroup.procs"
	echo 1 >"$cgroup/cgroup.freeze"
	wait_for 60 grep -q 'frozen 1' "$cgroup/cgroup.events" || die "the group does not freeze"
else
	kill "$(pid_of w-spin)"
	sed -i '/^w-iced\|^w-spin/d' "$scratch/truth"
fi
recorded claims "$record" --force --offcpu 1 --wakers -m 1ms -a --pid "$(awk 'NF == 2 { print $2 }' "$scratch/truth" | paste -sd,)" -o "$scratch/claims.rwk"
judged python3 -B "$here/tests/live/objects_check.py" claims "$scratch/claims.rwk" "$scratch/truth"

# Frozen threads are in no call, of which nothing is said either; who sleeps beside them is not frozen.
states_of() { "$report" --top-waits --throughout --pid "$(pid_of "$1")" "$scratch/claims.rwk" 2>/dev/null; }
"$report" --digest "$scratch/claims.rwk" >"$scratch/digest" 2>/dev/null
if grep -q '^w-iced' "$scratch/truth"; then
	for comm in w-iced w-spin; do
		check "$comm is frozen" grep -q ', F (frozen), ' <(states_of $comm)
		check "$comm is frozen, and in no call" lacks ', in ' <(states_of $comm)
		check "$comm is not in D" lacks " D: .*tid $(pid_of $comm) " "$scratch/digest"
	done
	check "frozen in the digest" grep -q 'F: .* in [0-9]* threads\? that were frozen' "$scratch/digest"
fi
check "w-read is not frozen" lacks frozen <(states_of w-read)

"$report" --waits-on --throughout --min-percent 0 -c '^(web|api|shop|stock)$' "$scratch/claims.rwk" >"$scratch/view" 2>/dev/null
check "who is at the other end" grep -qE " shop +in read of tcp .*:40000 .*:7411 \(at its other end stock $(pid_of stock)\)\$" "$scratch/view"
check "... seen from there" grep -qE " stock +in read of tcp .*:7411 .*:40000 \(at its other end shop $(pid_of shop)\)\$" "$scratch/view"
check "who is not" grep -qE ' web +in read of tcp .*:40000 [^ ]+ [^ ]+:7411$' "$scratch/view"
check "nor is it followed" lacks -E 'stock|shop' <("$report" --chains='^web$' "$scratch/claims.rwk" 2>/dev/null)
finish
