#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Waits against workloads that know their truth (workloads/waits.c): counts and totals within 1 %, the longest within 1 ms and
# at its moment, wakers and chains by name, waits that never end.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/waits_lib.sh"

test_sleeps() {
	record_waits sleeps '--wakers -u' sleeps "$(at_level 1.5 20)" || return
	check_waits sleeps brackets comms paths:all top least:1000 wakers:s10=timer,s16=timer,s40=timer,s150=timer
}

# Three hops: everybody is named, in the wakers and in the chains.
test_chain() {
	record_waits chain '--wakers -u' chain "$(at_level 20 200)" || return
	check_waits chain brackets comms paths top chains at:chain-a,chain-b,chain-c \
		wakers:chain-a=chain-b,chain-b=chain-c,chain-c=timer \
		'waker-stacks:chain-a>chain-b>mutex_give,chain-b>chain-c>pipe_write'
}

test_signal() {
	record_waits signal '--wakers -u' signal "$(at_level 20 200)" || return
	check_waits signal brackets comms paths wakers:sig-sleeper=sig-sender
}

# As many events as there are waits; each has its own thread, name and moment.
test_many() {
	record_waits many '' many 10000 || return
	check_waits many brackets comms
}

test_churn() {
	record_waits churn '-u' churn "$(at_level 300 3000)" || return
	check_waits churn brackets comms
}

test_several() {
	record_waits several '-m 0 --wakers -u' several "$(at_level 5 50)" || return
	check_waits several sleeps-of:pour paths:all
}

test_faults() {
	dd if=/dev/urandom of="$scratch/cold" bs=1M count=16 conv=fsync status=none
	sleep 0.3 # until its pages may be dropped
	record_waits faults '-m 0 -u' faults "$scratch/cold" || return
	grep -q '^wait ' "$scratch/faults.truth" || { echo "# not run: this disk lets nobody sleep in a page fault"; return; }
	check_waits faults brackets:rough comms paths:rough iowait
}

# D and S, told apart by the recorder, and by the reporter from one trace of both.
test_states() {
	local both only
	record_waits only_d '--state D' states 20 && check_waits only_d state:2,state-d,state-s
	record_waits only_s '--state S' states 20 && check_waits only_s state:1,state-s,state-d
	record_waits states '' states 20 || return
	check_waits states brackets
	check_equal "report --state D: comms" state-d "$(waiting_comms states --state D)"
	check_equal "report --state S -m 10000: comms" "state-child state-s" "$(waiting_comms states --state S -m 10000 -M 100000 -c '^state')"
	both=$(folded "$scratch/states.rwk" --class blocked -c '^state' | folded_sum -)
	only=$(folded "$scratch/states.rwk" --state DS -c '^state' --class blocked | folded_sum -)
	check_equal "report --class blocked and --state DS" "$both" "$only"
}

waiting_comms() { # NAME OPTION...
	folded "$scratch/$1.rwk" "${@:2}" | folded_comms /dev/stdin | paste -sd' '
}

# Began in the recording and not over at its end; began before it.
test_forever() {
	recorded during "$record" --force --offcpu 1 -u -o "$scratch/during.rwk" -- "$workloads/waits" forever 2
	mv "$scratch/during.out" "$scratch/during.truth"
	check_waits during open:during
	: >"$scratch/before.truth"
	"$workloads/waits" forever 20 >"$scratch/before.truth" &
	local sleeper=$!
	children="$children $sleeper"
	wait_for 5 grep -q '^wait ' "$scratch/before.truth" || die "the sleeper does not start"
	sleep 0.5
	recorded before "$record" --force --offcpu 1 -u --pid "$sleeper" -o "$scratch/before.rwk"
	check_waits before open:before
	check "--summary names the open wait's thread" grep -q forever <<<"$("$report" --summary "$scratch/before.rwk")"
	check_equal "--class ended leaves the open wait out" "" "$(waiting_comms before --class ended -c '^forever')"
}

need_offcpu
test_sleeps
test_chain
test_signal
test_many
test_churn
test_several
test_faults
test_states
test_forever
finish
