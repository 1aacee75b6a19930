#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""asleep_check.py TRACE TRUTH: compares what the threads of tests/live/workloads/asleep sleep on according to the
walk with what the workload prints. Verdicts as in trace_read.py. LOCKS_RT=1: all locks are rt-mutexes, whose readers
are unknown. ASLEEP_USERS=1: there are user stacks, and the holder of a mutex of the process is known. ASLEEP_OLD=1:
the kernel does not say which mapping a futex is in."""
import os, sys

from trace_read import X86, Trace, call_of, members, verdict

CALLS = {"read": 0, "write": 1, "poll": 7, "recvfrom": 45, "epoll_wait": 232, "futex": 202, "wait4": 61, "clock_nanosleep": 230,
         "flock": 73, "unlinkat": 263} if X86 else {
         "read": 63, "write": 64, "poll": 73, "recvfrom": 207, "epoll_wait": 22, "futex": 98, "wait4": 260,
         "clock_nanosleep": 115, "flock": 32, "unlinkat": 35}
READS, RT_MUTEX = 0x8000, "4"
RT, USERS, OLD = (os.environ.get(name) for name in ("LOCKS_RT", "ASLEEP_USERS", "ASLEEP_OLD"))

def is_right(key, value, row):
    if key == "asked":  # less the time until it was asleep; unknown if that time is unknown
        return 0.98 * int(value) < int(row["asked"]) <= int(value) if row["bound"] == "1" else row["asked"] == "0"
    if key == "lock" and RT:
        return row["for"].get("lock") == RT_MUTEX
    if key == "mapping" and OLD:
        return row["for"].get("mapping") == "0"
    if key == "holder":
        return row["holder"]["tid"] == (value if USERS else "0")
    if key in ("owner", "reader"):
        return row["holder"]["tid"] == value and bool(int(row["flags"], 16) & READS) == (key == "reader")
    return row["for"].get(key) == value

def judge(call, kind, wanted, rows):
    if len(rows) != 1:
        return f"walked {len(rows)} times"
    row = rows[0]
    if RT and "reader" in wanted and row["object"] == "0":
        return ""
    if row["call"] != call_of(CALLS[call]):
        return f"call {row['call']}, not {call}"
    if row["for"]["kind"] != kind:
        return f"not for one of kind {kind}: {row}"
    wrong = [key for key in wanted if not is_right(key, wanted[key], row)]
    return f"{wrong}: {row}, not {wanted}" if wrong else ""

def main(trace, truth):
    (_, process), *threads = [line.split() for line in open(truth, encoding="utf-8")]
    rows = [row for row in Trace(trace).rows if row["waiter"]["tgid"] == process]  # other tests have such threads, too
    for comm, *told in threads:
        if told:  # the last line is "ready"
            call, kind, *wanted = told
            verdict(comm, judge(call, kind, members(wanted), [row for row in rows if row["waiter"]["comm"] == comm]))

main(*sys.argv[1:])
