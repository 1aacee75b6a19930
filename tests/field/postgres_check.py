#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""postgres_check.py locks|syncs REPORT TRACE TRUTH: compares the trace with what PostgreSQL reports. Verdicts as in tests/live."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))
import waits_trace as wt  # noqa: E402


def verdict(good, what, why=""):
    print("yes " + what if good else "no %s: %s" % (what, why))


# --- row locks ---------------------------------------------------------------------------------------------------------


def read_locks(path):
    truth = {"asked": {}, "blocked": [], "passing": [], "given": []}
    with open(path, encoding="ascii") as lines:
        for line in lines:
            word, pid, *rest = line.split()
            if word == "asked":
                truth["asked"][int(pid)] = int(rest[0])
            elif word in ("blocked", "passing"):
                truth[word].append((int(pid), int(rest[0]), {int(p) for p in rest[1].split(",")}))
            elif word == "given":
                truth["given"].append((int(pid), int(rest[0]), int(rest[1])))
    return truth


def wait_at(trace, pid, time):
    """The wait that the backend was in at that moment."""
    return next((wait for wait in trace.by_tid.get(pid, []) if wait.begin <= time < wait.end), None)


def check_queue(trace, truth):
    """Each blocked backend waits, and whoever ends that wait is one of its blockers according to PostgreSQL."""
    wakers = {}
    for pid, time, _ in truth["blocked"]:
        wait = wait_at(trace, pid, time)
        verdict(wait is not None, "a blocked backend waits", "%d at %d does not" % (pid, time))
        if wait:
            wakers[pid, wait.end] = wait.waker.tgid
    named = {}
    for pid, time, pids in truth["blocked"] + truth["passing"]:
        wait = wait_at(trace, pid, time)
        if wait:
            named.setdefault((pid, wait.end), set()).update(pids)
    for key, waker in wakers.items():
        verdict(waker in named[key], "who ended the wait was in its way", "%s by %d, not by %s" % (key, waker, named[key]))


def check_lengths(trace, truth):
    """The wait at the head of the queue begins when the query was sent, even if that was before the recording."""
    first, giver, end = truth["given"][0]
    wait = wait_at(trace, first, truth["blocked"][0][1])
    if not wait:
        return
    late = wait.begin - truth["asked"][first]
    verdict(0 <= late < 100_000_000, "it began when it was asked for", "%.3f ms after" % (late / 1e6))
    verdict(bool(wait.flags & wt.BEGAN_BEFORE) or wait.begin >= trace.start, "it is marked as one that began before", hex(wait.flags))
    verdict(wait.end <= end, "it ended before its answer was read", "%d after" % (wait.end - end))
    verdict(wait.waker.tgid == giver, "the idle holder's commit ended it", "it was %d" % wait.waker.tgid)


def check_chains(report, path, truth):
    last = truth["given"][-1][0]
    text = wt.view(report, path, "--chains=%d" % last)
    verdict("postgres" in text, "--chains follows the last of the queue", text[:300])


def check_locks(report, path, truth_path):
    trace, truth = wt.Trace(report, path), read_locks(truth_path)
    verdict(len(truth["given"]) == 3 and len(truth["blocked"]) >= 9, "PostgreSQL told its queue", str(truth))
    check_queue(trace, truth)
    check_lengths(trace, truth)
    check_chains(report, path, truth)


# --- syncs -------------------------------------------------------------------------------------------------------------


def check_syncs(report, path, truth_path):
    """pg_stat_wal counts from before the call to after it: the waits in between, and some CPU time."""
    with open(truth_path, encoding="ascii") as lines:
        _, count, us = lines.read().split()
    count, us = int(count), float(us)
    ours = sum(weight for _, frames, weight in wt.folded(report, path, "-c", "^postgres$")
               if any(re.match(r"(issue_xlog_fsync|__?x64_sys_fdatasync|.*do_fsync)", frame) for frame in frames))
    print("# figure: PostgreSQL: %d syncs of the log took %.1f ms by pg_stat_wal; %.1f ms of them were waits" % (count, us / 1e3, ours / 1e3))
    verdict(count >= 100, "there were syncs", str(count))
    verdict(ours <= us * 1.02, "the waits are no longer than the syncs", "%.0f us of %.0f us" % (ours, us))
    verdict(ours >= us * 0.5, "a sync is mostly waiting", "%.0f us of %.0f us" % (ours, us))


{"locks": check_locks, "syncs": check_syncs}[sys.argv[1]](*sys.argv[2:5])
