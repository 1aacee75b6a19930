#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""moved_check.py REPORT TRACE TRUTH NAME [at-wakeup]: judges the sleeps of workloads/moved_asleep.c. None was on a
run queue for longer than it woke up late; with at-wakeup, where the kernel's account is wrong, its run queue time is
that since the wakeup. Kernels that charge such sleeps charge every other one of 60, also on a busy machine: at least
one must be.
"""
import os
import re
import sys

from waits_trace import BLOCKED, NONE, READING, Trace

CHARGED, CLOCKS = 20_000_000, 1_000_000  # ns: more queueing than can be right; how far clocks may differ


def wait_of(trace, tid, begin, end):
    found = [wait for wait in trace.by_tid[tid] if wait.kind == BLOCKED and wait.begin >= begin - CLOCKS and wait.end <= end + CLOCKS]
    return max(found, key=lambda wait: wait.length, default=None)


def judge(trace, truth, at_wakeup):
    wrong, missing, moved = [], 0, 0
    for line in truth:
        tid, begin, end, late, charged = (int(word) for word in line.split()[1:])
        wait = wait_of(trace, tid, begin, end)
        if not wait:
            missing += 1
            continue
        least = 0
        if charged > CHARGED + late:
            moved += 1
            least = wait.end - wait.woken - CLOCKS - READING if at_wakeup and wait.context != NONE else 0
        if not least <= wait.run_queue <= late + CLOCKS + READING:
            wrong.append((wait.run_queue, late, charged))
    return wrong, missing, moved


def charges():
    """Whether this kernel charges such sleeps: 6.12 and later, unless somebody has turned DELAY_DEQUEUE off."""
    try:
        with open("/sys/kernel/debug/sched/features", encoding="utf-8") as file:
            off = "NO_DELAY_DEQUEUE" in file.read().split()
    except OSError:
        off = False
    return not off and tuple(int(part) for part in re.match(r"(\d+)\.(\d+)", os.uname().release).groups()) >= (6, 12)


def main():
    report, path, truth, name, *rest = sys.argv[1:]
    with open(truth, encoding="utf-8") as file:
        lines = [line for line in file if line.startswith("round ")]
    wrong, missing, moved = judge(Trace(report, path), lines, bool(rest))
    print(f"# {name}: {len(lines)} sleeps, {moved} of them charged to a run queue by the kernel")
    print(f"{'no' if charges() and not moved else 'yes'} {name}: the kernel charges some, if it is one that does")
    print(f"{'no' if missing or not lines else 'yes'} {name}: all sleeps are in the trace, but {missing}")
    print(f"{'no' if wrong else 'yes'} {name}: run queue, late, by the kernel: {wrong[:5]}")


main()
