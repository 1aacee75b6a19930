#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""early_check.py REPORT TRACE TRUTH CHECK...: compares the begins of waits that were under way when the recording
started with workloads/early.c. Output as in waits_check.py."""
import collections
import os
import re
import sys

import judging
import waits_trace as wt

MS = 1_000_000
CLOSE = 20 * MS
FAIR = "fair", "busy", "vfork"
BEFORE = 2 * MS  # a valid bound: at most this much before the thread's own clock, which it reads before it sleeps


class Sleeper:
    def __init__(self, fields):
        self.comm, self.tid = fields["comm"], int(fields["tid"])
        self.begin, self.end = int(fields["begin"]), int(fields.get("end", 0))
        self.disturbed = fields.get("disturbed") == "1"
        self.kind, _, ends = self.comm.split("-")
        self.ends = ends == "e"


class Judge(judging.Judge):
    def __init__(self, report, path, truth):
        super().__init__(report, path)
        self.trace, self.sleepers = wt.Trace(report, path), {}
        with open(truth, encoding="utf-8") as lines:
            for line in lines:
                word, _, rest = line.partition(" ")
                if word == "refused":
                    print("# not tried: " + line.strip())
                elif word == "sleeper":
                    sleeper = Sleeper(wt.pairs(rest))
                    self.sleepers[sleeper.tid] = sleeper
                elif word == "woken":
                    self.sleepers[int(wt.pairs(rest)["tid"])].end = int(wt.pairs(rest)["end"])


def is_right(sleeper, wait):
    off = wait.begin - sleeper.begin
    if wait.flags & wt.OUT_LATEST:
        return off >= -BEFORE
    return abs(off) <= CLOSE


def check_begin(judge, _):
    """Each thread has one wait that began when its own clock says, within 20 ms, or before the recorded bound."""
    exact, all_of, worst = collections.Counter(), collections.Counter(), collections.Counter()
    for sleeper in judge.sleepers.values():
        waits = [wait for wait in judge.trace.by_tid[sleeper.tid] if wait.flags & wt.BEGAN_BEFORE]
        if not judge.verdict(len(waits) == 1, "one wait of %s" % sleeper.comm, "%d" % len(waits)):
            continue
        wait = waits[0]
        off = wait.begin - sleeper.begin
        judge.verdict(bool(wait.flags & wt.NOT_ENDED) == (not sleeper.end) and wait.kind == wt.BLOCKED,
                      "how the wait of %s ended" % sleeper.comm, "flags 0x%x, %s" % (wait.flags, wait.kind))
        if sleeper.disturbed:
            print("# %s was switched between its clock and its sleep: %+d us" % (sleeper.comm, off // 1000))
            continue
        judge.verdict(is_right(sleeper, wait), "begin of %s" % sleeper.comm, "off by %+d us, flags 0x%x" % (off // 1000, wait.flags))
        all_of[sleeper.kind] += 1
        exact[sleeper.kind] += not wait.flags & wt.OUT_LATEST
        worst[sleeper.kind] = max(worst[sleeper.kind], abs(off))
    for kind, count in all_of.items():
        print("# %s: %d of %d told as exact, %d us off at most" % (kind, exact[kind], count, worst[kind] // 1000))
    if os.environ.get("WAITS_EMULATED") == "1":  # nothing is stolen
        judge.verdict(sum(exact[kind] for kind in FAIR) * 10 >= 9 * sum(all_of[kind] for kind in FAIR), "fair tasks are exact",
                      "%s of %s" % (dict(exact), dict(all_of)))


def check_walk(judge, _):
    """A walk of the same tasks shows how long they have slept."""
    rows = {row.tid: row for row in judge.trace.walked}
    for sleeper in judge.sleepers.values():
        row = rows.get(sleeper.tid)
        if judge.verdict(row is not None, "the walk has %s" % sleeper.comm, "no row") and not sleeper.disturbed:
            off = row.time - row.wait - sleeper.begin
            judge.verdict(off >= -BEFORE if row.bound == wt.AT_LEAST else row.bound == 1 and abs(off) <= CLOSE,
                          "the walk's wait of %s" % sleeper.comm, "off by %+d us, bound %d" % (off // 1000, row.bound))


def check_summary(judge, _):
    """--summary accounts for all of the time that they slept in the recording. A thread about to exit at the end may
    be missing."""
    rows = wt.summary(judge.report, judge.path)
    share = 30 if os.environ.get("WAITS_EMULATED") == "1" else 100
    for sleeper in judge.sleepers.values():
        row = rows.get(sleeper.tid)
        if not judge.verdict(row is not None, "--summary has %s" % sleeper.comm, "no row"):
            continue
        if row["wall"] is None and sleeper.end:
            print("# %s was on its way out at the end" % sleeper.comm)
            continue
        judge.verdict(abs(row["unknown"]) <= row["wall"] // share + 2 * MS, "--summary of %s" % sleeper.comm, str(row))


def check_at(judge, _):
    """--at the start counts all of them; those that it lists show how long they had really slept."""
    text = wt.view(judge.report, judge.path, "--at", "+0.000001", "--throughout")
    waited = re.search(r"^# tasks that waited: (\d+)", text, re.M)
    judge.verdict(waited and int(waited.group(1)) >= len(judge.sleepers), "--at the start counts who slept", text[:300])
    listed = re.findall(r"^\S+ tid (\d+) .*blocked, (?:.*, )?for (≥|>=|)([0-9.]+) (m?)s$", text, re.M)
    judge.verdict(listed, "--at the start lists who slept", text[:300])
    for tid, bound, figure, milli in listed:
        sleeper = judge.sleepers.get(int(tid))
        if sleeper and not sleeper.disturbed:
            off = judge.trace.start - sleeper.begin - round(float(figure) * (MS if milli else 1000 * MS))
            judge.verdict(off >= -BEFORE if bound else abs(off) <= CLOSE, "--at the start, age of %s" % sleeper.comm, "off by %d ns" % off)


if __name__ == "__main__":
    judging.run(Judge(*sys.argv[1:4]), globals())
