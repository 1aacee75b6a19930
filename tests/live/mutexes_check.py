#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""mutexes_check.py TRACE TRUTH ROUNDS: who held the mutexes that waits of tests/live/workloads/mutexes were for, and in which
memory they are, as tests/rwk_dump.py reads the trace, against what the workload says. One line a thread: "yes WHAT" or "no WHAT:
WHY". The owner of a mutex may be unknown in one of ten waits, but never another one; what is no mutex has none. MUTEXES_RT=1: only
heap and variables are known, as on 6.1 and RT."""
import os, re, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from locks_check import read_trace  # noqa: E402

FUTEX, LEAST = "14", 1_000_000

HEAP, FILE, SHARED = "1", "4", "5"

def misplaced(objects, there, base, mapping, name, offset, inode):
    """Why not all of these are known to be where they are."""
    known = [objects[w["object"]] for w in there if objects[w["object"]]["mapping"] != "0"]
    wrong = [o for o in known if o["mapping"] != mapping or o["name"] != name or
             (mapping in (FILE, SHARED) and int(o["offset"], 16) - int(o["place"], 16) != int(offset, 16) - base) or (inode != "0" and o["inode"] != inode)]
    if mapping != "0" and wrong:
        return f"{len(wrong)} of {len(there)} were in {wrong[0]}, not in {mapping} {name}+{offset}"
    if mapping in (HEAP, FILE) or not os.environ.get("MUTEXES_RT"):
        if mapping != "0" and len(known) < 0.9 * len(there):
            return f"only of {len(known)} of {len(there)} the place is known"
    return ""

def judge(comm, places, owner, where, objects, waits, rounds):
    own = [w for w in waits if w["waiter"]["comm"] == comm and w["wait_class"] == "0" and int(w["length"]) >= LEAST and
           objects[w["object"]]["kind"] == FUTEX]
    there = [w for w in own if not places or int(objects[w["object"]]["place"], 16) in places]
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
    why = misplaced(objects, there, min(places, default=0), *where)
    if why:
        return why
    print(f"# {comm}: {len(there)} waits, {len(right) if owner != '0' else 0} owners")
    return ""

def main(trace, truth, rounds):
    objects, waits = read_trace(trace)
    for line in open(truth):
        comm, place, words, owner, *where = line.split()
        where[1] = where[1].replace("-", "")
        places = {int(place, 16) + 4 * i for i in range(int(words))}
        why = judge(comm, places, owner, where, objects, waits, int(rounds))
        print(f"no {comm}: {comm}: {why}" if why else f"yes {comm}")

main(*sys.argv[1:])
