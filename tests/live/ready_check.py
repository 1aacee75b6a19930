#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""ready_check.py TRACE TRUTH ROUNDS: compares the descriptors that ended the waits of tests/live/workloads/ready with
what the calls returned. Verdicts as in trace_read.py. What was ready in an epoll may be unknown in one of twenty
waits, but never wrong. If another file got the descriptor meanwhile, the descriptor must be unknown, but not the file.
A poll or select of one descriptor has that as its object, whether it is ready or not, but none if another file got the
descriptor; nor has one of several, and of neither it is said what was ready."""
import sys

from trace_read import X86, Trace, by_thread, call_of, verdict

CALLS = {"epoll": (232, 281), "poll": (7, 271), "select": (23, 270)} if X86 else {"epoll": (22,), "poll": (73,), "select": (72,)}
EVENTFD, EPOLL = "8", "12"
RTLOCK_WAIT = 0x1000

def last_wait(calls, since, until, waits):
    """The wait that ended last during the call; None: it was too short for a record. With PREEMPT_RT, another one may
    follow it: for the spinlock of the file's wait queue, which the waker may still hold when the call leaves the
    queue."""
    found = [w for w in waits if since < int(w["time"]) <= until and w["call"] in calls and w["wait_class"] == "0"
             and not int(w["state"], 0) & RTLOCK_WAIT]
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

def is_for(wait, comm, kind, inode):
    """None if unknown."""
    found = wait["for"]
    if "-epoll" in comm:
        return found["kind"] == EPOLL
    if not comm.endswith(("-one", "-time")):
        return found["kind"] == "0"
    return None if found["kind"] == "0" else found["kind"] == kind and found["inode"] == inode

def judge(comm, lines, trace, rounds):
    calls, waits = list(map(call_of, CALLS[comm.split("-")[1]])), trace.waits_of(comm)
    since, told, known, numbers, objects = 0, 0, 0, 0, 0
    for time, descriptor, kind, inode in lines:
        wait = last_wait(calls, since, int(time), waits)
        since = int(time)
        if not wait:
            continue
        found = trace.objects[wait.get("ready_object", "0")]
        if not is_right(wait, found, int(descriptor) if "-epoll" in comm else -1, kind, inode, comm.endswith("-swap")):
            return f"not {descriptor}, kind {kind}, inode {inode}: {wait} {found}"
        meant = is_for(wait, comm, kind, inode)
        if meant is False:
            return f"not for kind {kind}, inode {inode}: {wait}"
        objects += meant is True
        told, known, numbers = told + 1, known + (found["kind"] != "0"), numbers + (wait.get("ready", "0") != "0")
    if told < 0.9 * rounds:
        return f"only {told} waits, not {rounds}"
    if "-epoll" in comm and not comm.endswith("-time") and known < 0.95 * told:
        return f"only {known} of {told} waits say what was ready"
    if comm in ("r-epoll", "r-epoll-one") and numbers < 0.95 * told:
        return f"only {numbers} of {told} waits say by which descriptor"
    if objects < 0.95 * told:
        return f"only {objects} of {told} waits say what they were for"
    print(f"# {comm}: {told} waits, {objects} of them for what is known; what was ready: {known} objects, {numbers} descriptors")
    return ""

def main(trace, truth, rounds):
    trace = Trace(trace)
    for (comm,), lines in by_thread(truth).items():
        verdict(comm, judge(comm, lines, trace, int(rounds)))

main(*sys.argv[1:])
