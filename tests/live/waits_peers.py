#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""waits_peers.py offcputime REPORT TRACE OUTPUT | wakers REPORT TRACE TRUTH EVENTS: our recording against a peer's of the same
run: totals per stack as libbpf-tools' offcputime prints them; wakers as perf saw them (waits_perf.py). Verdicts as waits_check.py's."""
import bisect
import collections
import re
import sys

import waits_trace as wt



def scheduler_functions():
    """The functions of the kernel's .sched.text: a walk over another task's stack leaves them out, one over one's own does not."""
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
# What lies between the scheduler and a program that is called there.
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
    """Root first, from the workload's first function on: what calls that lies in libc, where offcputime guesses; without
    what belongs to the scheduler, suffixes and unnamed frames."""
    names = [re.sub(r"(\+0x.*|\.(isra|constprop|part|cold)\..*|\s.*)$", "", frame) for frame in frames]
    if "waiter_main" in names:
        names = names[names.index("waiter_main"):]
    return tuple(name for name in names if name not in SCHEDULER and not PROBE.match(name) and not name.startswith("["))


def compare_offcputime(report, trace, output):
    theirs, ours = offcputime_stacks(output), collections.Counter()
    for comm, frames, us in wt.folded(report, trace):
        ours[comm, plain(frames)] += us
    compared = 0
    for (comm, frames), us in sorted(theirs.items(), key=lambda item: -item[1]):
        if not re.match(r"^s\d+$", comm) or us < 100_000:
            continue
        mine = ours.get((comm, frames), 0)
        compared += 1
        verdict(abs(mine - us) <= us * 2 // 100, "%s: %s as offcputime" % (comm, ";".join(frames)),
                "%d us, offcputime has %d; ours are %s" % (mine, us, [";".join(f) for c, f in ours if c == comm]))
    verdict(compared >= 4, "stacks of all four threads were compared", "only %d" % compared)
    for comm in ("s3", "s7", "s20", "s150"):
        mine, us = (sum(n for (c, _), n in stacks.items() if c == comm) for stacks in (ours, theirs))
        verdict(us and abs(mine - us) <= us * 2 // 100, "%s: total as offcputime" % comm, "%d us, offcputime has %d" % (mine, us))


# --- perf -----------------------------------------------------------------------------------------------------------------


class Events:
    def __init__(self, path):
        self.out, self.ins, self.wakings = (collections.defaultdict(list) for _ in range(3))
        with open(path, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                kind, time, _, first, second, third, comm = line.rstrip("\n").split(" ", 6)
                if kind == "switch":
                    self.out[int(first)].append(int(time))
                    self.ins[int(second)].append(int(time))
                else:
                    self.wakings[int(first)].append((int(time), int(second), third, comm))
        for lists in (self.out, self.ins, self.wakings):
            for items in lists.values():
                items.sort()


SAME = 100_000  # ns: two programs on one tracepoint read the clock one after the other, with an interrupt in between at worst


def nearest(times, time):
    at = bisect.bisect_left(times, time)
    around = times[max(at - 1, 0):at + 1]
    return min(around, key=lambda other: abs(other - time), default=None)


def judge_wait(wait, events):
    """ "same", "other", or why there is nothing to compare."""
    tid = wait.task.tid
    begin, end = nearest(events.out[tid], wait.begin), nearest(events.ins[tid], wait.end)
    if begin is None or end is None or abs(begin - wait.begin) > SAME or abs(end - wait.end) > SAME:
        return "perf did not see these switches"
    wakings = [waking for waking in events.wakings[tid] if begin - SAME < waking[0] <= end]
    # A wakeup may come before the switch-out, but not before the switch-in before that.
    before = [time for time in events.ins[tid] if time <= begin]
    wakings = [waking for waking in wakings if not before or waking[0] > before[-1]]
    if not wakings:
        return "perf saw nobody wake it"
    if wait.context == wt.NONE:
        return "other: we know nobody"
    if (wait.waker.tid, wait.context) in [(waking[1], waking[2]) for waking in wakings]:
        return "same, %s%s" % (wait.context, "" if len(wakings) == 1 else ", one of several")
    if wait.waker.tid in [waking[1] for waking in wakings]:
        return "same task, context %s, perf says %s" % (wait.context, wakings[-1][2])
    return "other: %s, perf has %s" % (wait.context, wakings[-1][2])


def compare_wakers(report, trace, truth, events_path):
    events, recorded = Events(events_path), wt.Trace(report, trace)
    tids = {thread.tid for thread in wt.read_truth(truth)}
    kinds, examples = collections.Counter(), {}
    for wait in recorded.waits:
        if wait.task.tid not in tids or wait.open:
            continue
        if wait.kind != wt.BLOCKED:
            kinds["not blocked" if wait.context == wt.NONE else "other: a waker of a wait that was " + wait.kind] += 1
            continue
        kind = judge_wait(wait, events)
        kinds[kind] += 1
        examples.setdefault(kind, (wait.task, wait.begin, wait.end, wait.context, wait.waker, wait.woken))
    for kind, count in kinds.most_common():
        print("# %7d %s%s" % (count, kind, "" if kind.startswith(("same, ", "not b")) else "; such as %s" % (examples.get(kind),)))
    task = sum(count for kind, count in kinds.items() if kind.startswith("same, task"))
    wrong = {kind: count for kind, count in kinds.items() if kind.startswith("other") or re.search(r"\btask\b.*perf says|says task", kind)}
    unseen = sum(count for kind, count in kinds.items() if kind.startswith("perf "))
    verdict(task > 10, "wakers in task context were compared", "%d" % task)
    verdict(not wrong, "all wakers are perf's", "%s" % wrong)
    verdict(unseen * 100 <= sum(kinds.values()), "perf saw nearly all of our waits", "%d of %d not" % (unseen, sum(kinds.values())))


if __name__ == "__main__":
    {"offcputime": compare_offcputime, "wakers": compare_wakers}[sys.argv[1]](*sys.argv[2:])
