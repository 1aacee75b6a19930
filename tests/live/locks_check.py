#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""locks_check.py TRACE TRUTH ROUNDS: compares the locks that threads of tests/live/workloads/locks waited for with
what the workload prints: kind, owner, whose mmap_lock. Verdicts as in trace_read.py. LOCKS_RT=1: mutexes and rwsems
are built on rt-mutexes. The owner may be unknown in one of ten waits, but never wrong."""
import os, sys

from trace_read import X86, Trace, by_thread, call_of, verdict

CALLS = {"write": 1, "mmap": 9} if X86 else {"write": 64, "mmap": 222}
LOCK, RT_MUTEX = "18", "4"

def judge(comm, call, kind, owner, is_mmap, waits, least):
    asleep = [w for w in waits if w["wait_class"] == "0" and int(w["state"], 16) & 2 and w["call"] == call_of(CALLS[call])]
    own = [w for w in asleep if w["for"]["kind"] == LOCK]
    known = [w for w in own if w["holder"]["tid"] != "0"]
    if len(own) < least or len(own) < 0.9 * len(asleep):
        return f"{len(own)} of {len(asleep)} waits were for a lock, not {least}"
    for wait in own:
        lock = wait["for"]
        if lock["lock"] != (RT_MUTEX if os.environ.get("LOCKS_RT") else kind) or (lock["flags"] == "0x8") != is_mmap:
            return f"a wait was for {lock}"
        if is_mmap and lock["tgid"] != wait["waiter"]["tgid"]:
            return f"the mmap_lock is of {lock['tgid']}"
        if int(lock["place"], 16) > 1000:
            return f"its number may be an address: {lock['place']}"
    wrong = [w for w in known if w["holder"]["tid"] != owner]
    if wrong:
        return f"{len(wrong)} of {len(known)} were held by {wrong[0]['holder']}, not {owner}"
    if len(known) < 0.9 * len(own):
        return f"only {len(known)} of {len(own)} have an owner"
    print(f"# {comm}: {len(own)} waits, {len(known)} owners")
    return ""

def main(trace, truth, rounds):
    trace = Trace(trace)
    for (comm, call, kind, owner, is_mmap), _ in by_thread(truth, 5).items():
        least = int((0.2 if is_mmap == "1" else 0.9) * int(rounds))
        verdict(comm, judge(comm, call, kind, owner, is_mmap == "1", trace.waits_of(comm), least))

main(*sys.argv[1:])
