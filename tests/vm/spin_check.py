#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""spin_check.py TRACE TRUTH ROUNDS: the waits of tests/vm/guest/spin.c must be for a spinlock, the same one each
time, in dup2 or close, held by the thread that the workload prints. Verdicts as in trace_read.py. The owner may be
unknown in one of ten waits, but never wrong."""
import sys

sys.path.insert(0, "tests/live")
from trace_read import Trace, call_of, verdict

LOCK, SPIN, LONG, CALLS = "18", "5", 1_000_000, {call_of(33), call_of(3)}

def judge(waits, owner, rounds):
    own = [w for w in waits if w["wait_class"] == "0" and int(w["length"]) >= LONG]
    spun = [w for w in own if w["for"]["kind"] == LOCK and w["for"]["lock"] == SPIN]
    known = [w for w in spun if w["holder"]["tid"] != "0"]
    wrong = [w for w in known if w["holder"]["tid"] != owner]
    if len(spun) < max(rounds, 0.9 * len(own)):
        return f"{len(spun)} of {len(own)} were for a spinlock, not {rounds}: {[w for w in own if w not in spun][:1]}"
    if len({w["object"] for w in spun}) != 1 or {w["call"] for w in spun} - CALLS:
        return f"they were for {({w['object'] for w in spun})} in {({w['call'] for w in spun})}"
    if wrong or len(known) < 0.9 * len(spun):
        return f"{len(known)} of {len(spun)} have an owner, {len(wrong)} another one than {owner}"
    print(f"# w-spin: {len(spun)} waits, {len(known)} owners")
    return ""

def main(trace, truth, rounds):
    with open(truth, encoding="utf-8") as lines:
        (comm, _, owner), = (line.split() for line in lines)
    verdict(comm, judge(Trace(trace).waits_of(comm), owner, int(rounds)))

main(*sys.argv[1:])
