#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""claims_check.py TRACE TRUTH: what the processes of tests/live/workloads/claims wait for, according to their open waits
and to a walk. Verdicts as in trace_read.py."""
import sys

from trace_read import X86, Trace, call_of, verdict

NOT_ENDED, FAULT, PIPE, NONE = 1024, "3", "3", "0"
READ, WRITE = (call_of(0), call_of(1)) if X86 else (call_of(63), call_of(64))
WANTED = {"w-read": (READ, PIPE), "w-notify": (READ, NONE), "w-replaced": (READ, NONE), "w-touch": (FAULT, NONE),
          "w-write": (WRITE, NONE), "w-direct": (WRITE, NONE), "w-iced": ("0", NONE), "w-spin": ("0", NONE)}


def judge(comm, records):
    if len(records) != 1:
        return f"recorded {len(records)} times"
    found = records[0].get("call", "0"), records[0]["for"]["kind"]
    return "" if found == WANTED[comm] else f"call and kind {found}, not {WANTED[comm]}: {records[0]}"


def main(trace, truth):
    trace = Trace(trace)
    with open(truth, encoding="utf-8") as lines:
        pids = dict(line.split() for line in lines if " " in line)
    for comm in filter(WANTED.get, pids):
        waits = [wait for wait in trace.waits if wait["waiter"]["tid"] == pids[comm] and int(wait["flags"], 16) & NOT_ENDED]
        rows = [row for row in trace.rows if row["waiter"]["tid"] == pids[comm]]
        verdict(comm, judge(comm, waits))
        verdict(comm + " in a walk", judge(comm, rows))


main(*sys.argv[1:])
