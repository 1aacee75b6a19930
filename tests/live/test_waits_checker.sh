#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# The checker of the waits tests finds errors. It gets reports made up from the truth (waits_fake_report.py): correct
# ones, and ones with one mistake each.
# two tries: the truth is a run of the workload, whose clocks also stand still when the host takes the processor away.
. "$(dirname "$0")/lib.sh"

# said FAULT CHECK...: how many times the checker says no
said() {
	FAKE_FAULT=$1 PYTHONDONTWRITEBYTECODE=1 python3 "$here/tests/live/waits_check.py" "$here/tests/live/waits_fake_report.py" \
		"$truth" "$truth" "${@:2}" >"$scratch/said" || echo "no end" >>"$scratch/said"
	grep -c '^no ' "$scratch/said"
}

finds() { # FAULT CHECK...
	check_number "the checks ${*:2} find the fault '$1'" "$(said "$@") > 0"
}

need_tool python3
[ -x "$workloads/waits" ] || die "'$workloads/waits' is missing; run 'make test-programs'"
truth=$scratch/sleeps
# Ten tries to get a truth in which no clock stood still: a checker that finds mistakes where there are none does so
# in all of them.
for ((try = 0; try < 10; try++)); do
	"$workloads/waits" sleeps 0.7 >"$truth" || die "the workload fails"
	[ "$(said '' brackets comms paths:all wakers:s10=timer)" != 0 ] || [ "$(said stolen brackets comms paths:all)" != 0 ] || break
done
check_equal "mistakes found in a report without any" 0 "$(said '' brackets comms paths:all wakers:s10=timer)"
check_number "things that were checked" "$(grep -c '^yes ' "$scratch/said") > 20"
check_equal "mistakes found if a few clocks were read late" 0 "$(said stolen brackets comms paths:all)"
for fault in missing shorter some late early moved clock twice class; do finds $fault brackets; done
finds comm comms
for fault in path missing shorter; do finds $fault paths; done
truth=$scratch/chain
"$workloads/waits" chain 5 >"$truth" || die "the workload fails"
wakers=wakers:chain-a=chain-b,chain-b=chain-c,chain-c=timer
check_equal "mistakes found in a chain without any" 0 "$(said '' brackets $wakers)"
for fault in waker class; do finds $fault $wakers; done
finish
