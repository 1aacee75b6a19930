#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""objects_check.py TRACE TRUTH ROUNDS: compares what threads of tests/live/workloads/objects, or away, waited for
with what the workload prints. Verdicts as in trace_read.py. The object may be unknown for threads whose descriptor
changes while they sleep, but never wrong. Each verdict is followed by figures: waits, and those with an object."""
import os, re, sys

from trace_read import X86, Trace, by_thread, call_of, members, verdict

CALLS = {"read": 0, "recvfrom": 45, "accept": 43, "epoll_wait": 232, "futex": 202, "wait4": 61, "waitid": 247, "clock_nanosleep": 230,
         "flock": 73} if X86 else {
         "read": 63, "recvfrom": 207, "accept": 202, "epoll_wait": 22, "futex": 98, "wait4": 260, "waitid": 95, "clock_nanosleep": 115,
         "flock": 32}
MAY_BE_UNKNOWN = re.compile(r"w-(swap|close|dup)-.$")
LEAST = 1_000_000
PRECISE = 0.95 if "MACHINE" in os.environ else 0.99  # an emulated machine takes longer from the call to the switch

def is_object(wait, wanted):
    """The requested length of a sleep is read from its timer, less the time until the thread left its CPU, which may
    be long."""
    for key, value in wanted.items():
        if key == "asked":
            if int(wait["asked"]) > 1.01 * int(value):  # 0: the timer was not found
                return False
        elif wait["for"].get(key) != value:
            return False
    return True

def judge(comm, call, kind, wanted, waits, rounds, may_be_unknown):
    own = [w for w in waits if w["call"] == call_of(CALLS[call]) and w["wait_class"] == "0" and int(w["length"]) >= LEAST and
           int(w["state"], 16) & 1]
    known = [w for w in own if w["object"] != "0"]
    wrong = [w for w in known if w["for"]["kind"] != kind or not any(is_object(w, one) for one in wanted)]
    if len(own) < 0.9 * rounds:
        return f"only {len(own)} waits in {call}, not {rounds}"
    if wrong:
        return f"{len(wrong)} of {len(own)} were for {wrong[0]['for']} ({wrong[0]}), not {wanted[0]}"
    asked = sorted(int(w["asked"]) for w in known if "asked" in wanted[0])
    if asked and asked[len(asked) // 2] < PRECISE * int(wanted[0]["asked"]):
        return f"half of the sleeps were asked for less than {asked[len(asked) // 2]}"
    if len(known) < len(own) and not may_be_unknown:
        return f"{len(own) - len(known)} of {len(own)} have no object"
    print(f"# {comm}: {len(own)} waits, {len(known)} objects")
    return ""

def main(trace, truth, rounds):
    trace = Trace(trace)
    for (comm, call, kind), wanted in by_thread(truth, 3).items():
        unknown = MAY_BE_UNKNOWN.match(comm)
        share = int(rounds) // 2 if unknown else int(rounds)
        verdict(comm, judge(comm, call, kind, list(map(members, wanted)), trace.waits_of(comm), share, unknown))
    # A wait whose end the BPF programs did not see is written late, after its call: there are few of these.
    blocked = [w for w in trace.waits if w["waiter"]["comm"].startswith("w-") and w["wait_class"] == "0"]
    left = [w["waiter"]["comm"] for w in blocked if w["call"] == "0"]
    verdict("calls", f"{sorted(left)} waited in no call" if len(left) * 50 > len(blocked) else "")

main(*sys.argv[1:])
