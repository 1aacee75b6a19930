#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""lock_check.py REPORT TRACE TRUTH NAME: for each turn at a lock (python_lock.py, mutex.go) the thread's waits add up
to the time that the program measured itself; if the program knows the holder, the holder ended the last of these
waits."""
import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))
import waits_trace as wt  # noqa: E402


def overlap(wait, begin, end):
    return max(0, min(wait.end, end) - max(wait.begin, begin))


def main():
    report, path, truth, name = sys.argv[1:5]
    trace = wt.Trace(report, path)
    shares, woken, known = [], 0, 0
    with open(truth, encoding="ascii") as lines:
        turns = [tuple(int(word) for word in line.split()[1:]) for line in lines if line.startswith("wait ")]
    for tid, begin, end, holder in turns:
        waits = [wait for wait in trace.by_tid.get(tid, []) if overlap(wait, begin, end)]
        shares.append(sum(overlap(wait, begin, end) for wait in waits) / (end - begin))
        if holder and waits and waits[-1].context == wt.TASK:
            known += 1
            woken += waits[-1].waker.tid == holder
    print("# figure: %s: %d turns waited for; waits fill %.2f %% of them (least %.2f %%); woken by the holder %d of %d" % (
        name, len(turns), 100 * statistics.mean(shares or [0]), 100 * min(shares or [0]), woken, known))
    print("yes turns" if len(turns) >= 20 else "no turns: only %d were waited for" % len(turns))
    good = statistics.mean(shares or [0])
    print("yes waits fill the turns" if 0.9 <= good <= 1 else "no waits fill the turns: %.4f of them" % good)
    if any(turn[3] for turn in turns):
        print("yes wakers" if known >= 20 and woken >= 0.98 * known else "no wakers: %d of %d" % (woken, known))


main()
