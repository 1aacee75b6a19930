#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""newborn_check.py TRACE TRUTH MS: compares the time that new threads waited for a CPU (tests/live/workloads/newborn)
with the kernel's own account, as each thread read it. It does not include the MS before, in which the thread was on
no run queue, whether the start has a record or is summed; nor any time of the thread that was never put on one.
Verdicts as in objects_check.py."""
import sys

from objects_check import Trace, by_thread, verdict

STARTED, NOT_ENDED = "4", 1024
MS = 1000000
SLACK = 3 * MS # the child reads its account a moment after it got the CPU

def found_of(trace, tid):
    """The child's start: [all of it, the part on a run queue], ns."""
    parts = [(int(sums["started_total"]), int(sums["started_run_queue"])) for sums in trace.sums if sums["waiter"]["tid"] == tid]
    parts += [(int(wait["length"]), int(wait["run_queue"])) for wait in trace.waits
              if wait["waiter"]["tid"] == tid and wait["wait_class"] == STARTED]
    return [sum(column) for column in zip(*parts)] or [0, 0]

def judge_ended(trace, children, late):
    near = 0
    for tid, delay in children:
        total, queued = found_of(trace, tid)
        print(f"# {tid}: {queued} of {total} ns on a run queue, by the kernel's account {delay}")
        if total - queued < late - SLACK or queued > int(delay) + SLACK:
            return f"{tid}: {queued} of {total} ns on a run queue, not {delay}"
        near += abs(queued - int(delay)) < SLACK
    return "" if near else "none has what the kernel says"

def judge_open(trace):
    waits = [wait for wait in trace.waits if int(wait["flags"], 0) & NOT_ENDED and wait["wait_class"] == STARTED]
    if len(waits) != 1:
        return f"{len(waits)} of them"
    return "" if waits[0]["run_queue"] == "0" else f"{waits[0]['run_queue']} of {waits[0]['length']} ns on a run queue"

def main(trace, truth, late):
    trace = Trace(trace)
    verdict("those that ran", judge_ended(trace, by_thread(truth)[("newborn",)], int(late) * MS))
    verdict("the one that never did", judge_open(trace))

main(*sys.argv[1:])
