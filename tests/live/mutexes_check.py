#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""mutexes_check.py TRACE TRUTH ROUNDS: compares the holders of the mutexes that threads of
tests/live/workloads/mutexes waited for, and the memory that the mutexes are in, with what the workload prints.
Verdicts as in trace_read.py. The owner of a mutex may be unknown in one of ten waits, but never wrong; a futex that
is not a mutex has none. MUTEXES_RT=1: only heap and data are known, as on 6.1 and RT."""
import os, sys

from trace_read import Trace, by_thread, verdict

FUTEX, LEAST = "14", 1_000_000

HEAP, FILE, SHARED = "1", "4", "5"

def misplaced(there, base, mapping, offset, inode):
    """Why the mapping of some of these waits is missing or wrong; empty if all are right."""
    known = [w["for"] for w in there if w["for"]["mapping"] != "0"]
    wrong = [o for o in known if o["mapping"] != mapping or
             (mapping == SHARED and int(o["offset"], 16) - int(o["place"], 16) != int(offset, 16) - base) or
             (inode != "0" and o["inode"] != inode)]
    if mapping == "0":
        return ""
    if wrong:
        return f"{len(wrong)} of {len(there)} were in {wrong[0]}, not in {mapping}+{offset}"
    may_be_unknown = os.environ.get("MUTEXES_RT") and mapping not in (HEAP, FILE)
    if len(known) < 0.9 * len(there) and not may_be_unknown:
        return f"only of {len(known)} of {len(there)} the place is known"
    return ""

def judge(comm, places, owner, where, waits, rounds):
    own = [w for w in waits if w["wait_class"] == "0" and int(w["length"]) >= LEAST and w["for"]["kind"] == FUTEX]
    there = [w for w in own if not places or int(w["for"]["place"], 16) in places]
    held = [w for w in own if w["holder"]["tid"] != "0"]
    right = [w for w in there if w["holder"]["tid"] == owner]
    if len(there) < 0.9 * rounds:
        return f"{len(there)} waits for it, not {rounds}"
    if owner == "0" and len(right) != len(there):
        return f"{len(there) - len(right)} of {len(there)} were held by somebody, but it is no mutex: {there[0]['holder']}"
    if owner != "0" and [w for w in held if w["holder"]["tid"] != owner]:
        return f"some of {len(own)} were held by others than {owner}: {set(w['holder']['tid'] for w in held)}"
    if owner != "0" and len(held) != len(right):
        return f"{len(held) - len(right)} barriers have an owner"
    if owner != "0" and len(right) < 0.9 * len(there):
        return f"only {len(right)} of {len(there)} have their owner"
    why = misplaced(there, min(places, default=0), *where)
    if not why:
        print(f"# {comm}: {len(there)} waits, {len(right) if owner != '0' else 0} owners")
    return why

def main(trace, truth, rounds):
    trace = Trace(trace)
    for (comm, place, words, owner), [where] in by_thread(truth, 4).items():
        places = {int(place, 16) + 4 * i for i in range(int(words))}
        verdict(comm, judge(comm, places, owner, where, trace.waits_of(comm), int(rounds)))

main(*sys.argv[1:])
