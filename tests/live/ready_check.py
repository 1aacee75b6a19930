#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""ready_check.py TRACE TRUTH ROUNDS: which descriptor ended the waits of tests/live/workloads/ready, against what the calls returned.
Verdicts as in trace_read.py. What was ready may be unknown in one of twenty waits, but never another one. A descriptor that was given
to another file meanwhile must be unknown, the file must not."""
import sys

from trace_read import X86, Trace, by_thread, call_of, verdict

CALLS = {"epoll": (232, 281), "poll": (7, 271), "select": (23, 270)} if X86 else {"epoll": (22,), "poll": (73,), "select": (72,)}
EVENTFD = "8"

def last_wait(calls, since, until, waits):
    """The one that ended last while the call was made; None: it was too short for a record."""
    found = [w for w in waits if since < int(w["time"]) <= until and w["call"] in calls and w["wait_class"] == "0"]
    return found[-1] if found else None

def is_right(wait, found, descriptor, kind, inode, swapped):
    number = int(wait.get("ready", "0"))
    if descriptor < 0:
        return found["kind"] == "0" and not number
    if number and (swapped or number != descriptor + 1):
        return False
    if found["kind"] == "0":
        return not number
    if kind == EVENTFD and found["descriptor"] != ("0" if swapped else str(descriptor + 1)):
        return False
    return found["kind"] == kind and (kind == EVENTFD or found["inode"] == inode)

def judge(comm, lines, trace, rounds):
    calls, waits = list(map(call_of, CALLS[comm.split("-")[1]])), trace.waits_of(comm)
    since, told, known, numbers = 0, 0, 0, 0
    for time, descriptor, kind, inode in lines:
        wait = last_wait(calls, since, int(time), waits)
        since = int(time)
        if not wait:
            continue
        found = trace.objects[wait.get("ready_object", "0")]
        if not is_right(wait, found, int(descriptor), kind, inode, comm.endswith("-swap")):
            return f"not {descriptor}, kind {kind}, inode {inode}: {wait} {found}"
        told, known, numbers = told + 1, known + (found["kind"] != "0"), numbers + (wait.get("ready", "0") != "0")
    if told < 0.9 * rounds:
        return f"only {told} waits, not {rounds}"
    if not comm.endswith("-time") and known < 0.95 * told:
        return f"only {known} of {told} waits say what was ready"
    if not comm.endswith(("-time", "-swap")) and numbers < 0.95 * told:
        return f"only {numbers} of {told} waits say by which descriptor"
    print(f"# {comm}: {told} waits, {known} objects, {numbers} descriptors")
    return ""

def main(trace, truth, rounds):
    trace = Trace(trace)
    for (comm,), lines in by_thread(truth).items():
        verdict(comm, judge(comm, lines, trace, int(rounds)))

main(*sys.argv[1:])
