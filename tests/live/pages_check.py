#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""pages_check.py TRACE TRUTH ROUNDS: compares the pages and files that the threads of tests/live/workloads/pages
waited for with what the workload prints. Verdicts as in trace_read.py. The page may be unknown in one of twenty
waits, but never wrong; likewise the name of its file, and whether that was deleted. A few waits are enough for p-too,
which waits only when it comes too late."""
import sys

from trace_read import Trace, by_thread, verdict

PAGE = "19"
NAMES = {"p-read": ".read", "p-too": ".read", "p-touch": ".touch", "p-gone": ".gone"}

def judge(comm, lines, waits, rounds):
    waits = [w for w in waits if int(w["state"], 16) & 2 and int(w["flags"], 16) & 128]  # in D, iowait
    since, told, known, named = 0, 0, 0, 0
    for time, inode, page in lines:
        own = [w for w in waits if since < int(w["time"]) <= int(time)]
        pages = [w for w in own if w["for"]["kind"] == PAGE and w["for"]["inode"] != "0"]
        since, told, known = int(time), told + bool(own), known + bool(pages)
        for wait in pages:
            if wait["for"]["inode"] != inode or int(wait["page"]) != int(page) + 1:
                return f"not page {page} of inode {inode}: {wait}"
            path = wait["for"].get("path")
            named += bool(path)
            if path and (not path.endswith(NAMES[comm]) or int(wait["for"]["flags"], 16) != (comm == "p-gone")):
                return f"the file has another name: {wait['for']}"
    if told < (0.02 if comm == "p-too" else 0.5) * rounds:
        return f"only {told} waits for the disk, not {rounds}"
    if known < 0.95 * told:
        return f"only {known} of {told} waits say for which page"
    if named < 0.95 * known:
        return f"only {named} of {known} pages say of which file they are"
    print(f"# {comm}: {told} waits, {known} pages, {named} names")
    return ""

def main(trace, truth, rounds):
    trace = Trace(trace)
    for (comm,), lines in by_thread(truth).items():
        verdict(comm, judge(comm, lines, trace.waits_of(comm), int(rounds)))

main(*sys.argv[1:])
