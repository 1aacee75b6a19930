#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""waits_peers.py offcputime REPORT TRACE OUTPUT | wakers REPORT TRACE TRUTH EVENTS: compares our recording with
another tool's recording of the same run: totals per stack as libbpf-tools' offcputime prints them; wakers as perf saw
them (waits_perf.py). Verdicts as in waits_check.py."""
import bisect
import collections
import os
import re
import sys

import waits_trace as wt



def scheduler_functions():
    """The functions of the kernel's .sched.text: a walk of another task's stack leaves them out, a walk of one's own does not."""
    symbols = []
    with open("/proc/kallsyms", encoding="utf-8") as lines:
        for line in lines:
            address, kind, name = line.split()[:3]
            if kind in "tT":
                symbols.append((int(address, 16), name))
    at = {name: address for address, name in symbols}
    first, last = at.get("__sched_text_start", 0), at.get("__sched_text_end", 0)
    return {name for address, name in symbols if first <= address < last}


SCHEDULER = scheduler_functions()
# Frames between the scheduler and a program that is called there.
PROBE = re.compile(r"^(bpf_|__bpf_|__traceiter_|trace_|_einittext|\[bpf|perf_)")


def verdict(good, what, why):
    print("yes " + what if good else "no %s: %s" % (what, why))


# --- offcputime -----------------------------------------------------------------------------------------------------------


def offcputime_stacks(path):
    """{(comm, frames root first): us}: blocks of frames, leaf first, "- comm (pid)", us."""
    stacks, frames, comm = collections.Counter(), [], None
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            text = line.strip()
            owner = re.match(r"^-\s+(.*) \(\d+\)$", text)
            if owner:
                comm = owner.group(1)
            elif comm is not None and text.isdigit():
                stacks[comm, plain(frames[::-1])] += int(text)
                frames, comm = [], None
            elif text and line[0].isspace():
                frames.append(re.sub(r"^#?\d+\s+", "", text))
            else:
                frames, comm = [], None
    return stacks


def plain(frames):
    """Root first, from the workload's first function on: without its callers in libc, which offcputime guesses, and without
    the scheduler's functions, suffixes and unnamed frames."""
    names = [re.sub(r"(\+0x.*|\.(isra|constprop|part|cold)\..*|\s.*)$", "", frame) for frame in frames]
    if "waiter_main" in names:
        names = names[names.index("waiter_main"):]
    return tuple(name for name in names if name not in SCHEDULER and not PROBE.match(name) and not name.startswith("["))


# If the kernel hides threads, it does not show a switch from one of them to another thread. The recorder learns from
# the next switch that the wait is over; offcputime forgets the wait: it may lack three of each thread, and has none
# that we lack.
MISSED = 3 if os.environ.get("WAITS_HIDDEN") == "1" else 0


def is_near(comm, mine, us):
    """Within 2 %; s150 waits for 150 ms each time."""
    return mine >= us * 98 // 100 and mine <= us * 102 // 100 + MISSED * int(comm[1:]) * 1100


def compare_offcputime(report, trace, output):
    theirs, ours = offcputime_stacks(output), collections.Counter()
    for comm, frames, us in wt.folded(report, trace):
        ours[comm, plain(frames)] += us
    compared = whole = 0
    for (comm, frames), us in sorted(theirs.items(), key=lambda item: -item[1]):
        if not re.match(r"^s\d+$", comm) or us < 100_000:
            continue
        mine = ours.get((comm, frames), 0)
        if not any("syscall" in frame.lower() for frame in frames):  # offcputime sometimes gets no kernel stack
            mine = sum(n for (c, f), n in ours.items() if c == comm and f[: len(frames)] == frames)
        elif "syscall" in frames[0].lower():  # no user stack: its stack table drops one of two with the same hash
            mine = sum(n for (c, f), n in ours.items() if c == comm and f[-len(frames):] == frames)
        else:
            whole += 1
        compared += 1
        verdict(is_near(comm, mine, us), "%s: %s as offcputime" % (comm, ";".join(frames)),
                "%d us, offcputime has %d; ours are %s" % (mine, us, [";".join(f) for c, f in ours if c == comm]))
    verdict(compared >= 4, "stacks of all four threads were compared", "only %d" % compared)
    verdict(whole >= 2, "at least two of them were whole", "%d of %d" % (whole, compared))
    for comm in ("s10", "s16", "s40", "s150"):
        mine, us = (sum(n for (c, _), n in stacks.items() if c == comm) for stacks in (ours, theirs))
        verdict(us and is_near(comm, mine, us), "%s: total as offcputime" % comm, "%d us, offcputime has %d" % (mine, us))


# --- perf -----------------------------------------------------------------------------------------------------------------


def read_wakings(path):
    """{target: [(time, current task, context)]} of perf's events."""
    wakings = collections.defaultdict(list)
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            kind, time, _, first, second, third, _ = line.rstrip("\n").split(" ", 6)
            if kind == "waking":
                wakings[int(first)].append((int(time), int(second), third))
    for items in wakings.values():
        items.sort()
    return wakings


SAME = 100_000  # ns: two programs on one tracepoint read the clock in sequence, at worst with an interrupt in between


def judge_wait(wait, wakings):
    """ "same ...", "other ...", or why there is nothing to compare: on some kernels perf shows nothing of idle CPUs."""
    times = [time for time, _, _ in wakings]
    within = wakings[bisect.bisect_right(times, wait.begin):bisect.bisect_right(times, wait.end)]
    if wait.context == wt.NONE:
        return "other: we know nobody, perf has " + within[-1][2] if within else "nobody is known, to perf neither"
    near = wakings[bisect.bisect_left(times, wait.woken - SAME):bisect.bisect_right(times, wait.woken + SAME)]
    if (wait.waker.tid, wait.context) in [(who, context) for _, who, context in near]:
        return "same, %s%s" % (wait.context, "" if len(near) == 1 else ", one of several")
    if wait.waker.tid in [who for _, who, _ in near]:
        return "other context: %s, perf says %s" % (wait.context, near[-1][2])
    if (wait.waker.tid, wait.context) in [(who, context) for _, who, context in within]:
        return "same, %s, perf told of it at another time" % wait.context
    if near or within:
        return "other: %s, perf has %s" % (wait.context, [(time - wait.woken, who, context) for time, who, context in near or within])
    return "perf saw nobody wake it, we have " + wait.context


def compare_wakers(report, trace, truth, events):
    wakings, recorded = read_wakings(events), wt.Trace(report, trace)
    tids = {thread.tid for thread in wt.read_truth(truth)}
    kinds, examples = collections.Counter(), {}
    for wait in recorded.waits:
        if wait.task.tid not in tids or wait.open:
            continue
        if wait.kind == wt.BLOCKED:
            kind = judge_wait(wait, wakings[wait.task.tid])
        else:
            kind = "not blocked, no waker" if wait.context == wt.NONE else "other: a waker of a wait that was " + wait.kind
        kinds[kind] += 1
        examples.setdefault(kind, (wait.task, wait.begin, wait.end, wait.context, wait.waker, wait.woken))
    for kind, count in kinds.most_common():
        print("# %7d %s%s" % (count, kind, "" if kind.startswith(("same, ", "not b")) else "; such as %s" % (examples.get(kind),)))
    task = sum(count for kind, count in kinds.items() if kind.startswith("same, task"))
    wrong = {kind: count for kind, count in kinds.items() if kind.startswith("other")}
    unseen = sum(count for kind, count in kinds.items() if kind.endswith("we have task"))
    if unseen > task:
        sys.exit("perf saw %d of %d wakeups by tasks" % (task, unseen + task))
    verdict(task > 100, "wakers in task context were compared", "%d" % task)
    verdict(not wrong, "all wakers are perf's", "%s" % wrong)
    verdict(unseen * 100 <= task, "perf saw nearly all wakeups by tasks", "%d not, %d seen" % (unseen, task))


if __name__ == "__main__":
    {"offcputime": compare_offcputime, "wakers": compare_wakers}[sys.argv[1]](*sys.argv[2:])
