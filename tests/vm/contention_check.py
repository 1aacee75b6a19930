#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""contention_check.py TRACE CONTENTION: compares waits for kernel locks with the kernel's own
lock:contention_begin and _end of the same run, as tracefs prints them with the clock "mono". A
contention lasts from the first try until the task has the lock, so it includes the wait's sleep and
what the task spun or computed before and after. Each wait must be in one contention of its thread, of
the same kind; each object is one address, and vice versa; and 19 of 20 contentions of 1 ms or more
that were not only spinning must have a wait, except spinlocks. Verdicts as in trace_read.py; the sums
of each kind follow as comments."""
import collections, re, sys

sys.path.insert(0, "tests/live")
from trace_read import Trace, verdict

LOCK, LONG, RT_MUTEX = "18", 1_000_000, 4
SPUN = (5, 6)  # waiters spin as long as the owner runs, and the kernel does not report that
KINDS = ["", "mutex", "rwsem", "percpu-rwsem", "rt-mutex", "spinlock", "rwlock", "semaphore"]
EVENT = re.compile(r"-(\d+) +\[\d+\] \S+ +(\d+)\.(\d{6}): contention_(begin|end): (\S+) "
                   r"\((?:flags=([A-Z|]*)|ret=\S+)\)")
ROUNDED = 1_000  # ns, of times in the text

UNSURE = 256 | 512 | 1024 | 16384  # it began before, has not ended, or is not exact

Contention = collections.namedtuple("Contention", "tid begin end lock kind slept")

def kind_of(flags):
    """enum object_lock. With PREEMPT_RT, a writer that waits until readers have left a rwsem waits for no rt-mutex."""
    reads_or_writes = "READ" in flags or "WRITE" in flags
    for flag, kind in ("MUTEX", 1), ("PERCPU", 3), ("SPIN", 5):
        if flag in flags:
            return 6 if kind == 5 and reads_or_writes else kind
    return 2 if reads_or_writes else 4 if "RT" in flags else 7

def contentions(path):
    """The contentions of each thread. A second begin for the same lock continues the first: a mutex
    reports in this way that it has stopped spinning."""
    begun, found = {}, collections.defaultdict(list)
    for line in open(path, encoding="utf-8", errors="replace"):
        event = EVENT.search(line)
        if not event:
            continue
        tid, seconds, fraction, what, lock, flags = event.groups()
        time = int(seconds) * 1_000_000_000 + int(fraction) * 1_000
        # A lock contains a spinlock, which may be contended meanwhile.
        first = begun.pop((tid, lock), None)
        if what == "begin":
            words = flags.split("|")
            slept = "MUTEX" not in words or "SPIN" not in words
            begin = first.begin if first else time
            begun[tid, lock] = Contention(tid, begin, 0, lock, kind_of(words), slept)
        elif first:
            found[tid].append(first._replace(end=time))
    return found

def enclosing(wait, found):
    end = int(wait["time"])
    begin = end - int(wait["length"])
    for one in found.get(wait["waiter"]["tid"], []):
        if one.begin <= begin + ROUNDED and end <= one.end + ROUNDED:
            return one
    return None

def settle_kinds(waits, found):
    """Where spinlocks sleep, the kernel reports them as rt-mutexes; the waits for the lock show which it is."""
    sleeping = {}
    for wait in waits:
        one = enclosing(wait, found)
        if one and one.kind == RT_MUTEX and wait["for"]["lock"] in map(str, SPUN):
            sleeping[one.lock] = int(wait["for"]["lock"])
    for tid, ones in found.items():
        found[tid] = [one._replace(kind=sleeping.get(one.lock, one.kind)) for one in ones]

def judge(kind, waits, found, threads):
    pairs = [(wait, enclosing(wait, found)) for wait in waits]
    lost = [wait for wait, one in pairs if not one or one.kind != kind]
    if lost:
        return f"{len(lost)} of {len(waits)} waits are in no contention of that kind: {lost[0]}"
    joined = {(wait["object"], one.lock) for wait, one in pairs}
    if len(joined) != len({a for a, _ in joined}) or len(joined) != len({b for _, b in joined}):
        return f"objects and addresses do not join up: {joined}"
    met = {one for _, one in pairs}
    all_long = [one for tid in threads for one in found.get(tid, [])
                if one.kind == kind and one.slept and one.end - one.begin >= LONG]
    missed = [one for one in all_long if one not in met]
    slept = sum(int(wait["length"]) for wait in waits) / 1e6
    contended = sum(one.end - one.begin for one in met) / 1e6
    print(f"# {KINDS[kind]}: {len(waits)} waits of {slept:.1f} ms in {len(met)} contentions of "
          f"{contended:.1f} ms, {len(joined)} locks; of {len(all_long)} contentions of 1 ms or more, "
          f"{len(missed)} have no wait")
    if len(missed) <= len(all_long) / 20 or kind in SPUN:
        return ""
    return f"{len(missed)} of {len(all_long)} contentions have no wait: {missed[0]}"

def main(trace, text):
    trace, found = Trace(trace), contentions(text)
    blocked = [w for w in trace.waits
               if w["wait_class"] == "0" and not int(w["flags"], 16) & UNSURE]
    waits = [w for w in blocked if w["for"]["kind"] == LOCK]
    threads = {w["waiter"]["tid"] for w in trace.waits}
    settle_kinds(waits, found)
    kinds = sorted({int(w["for"]["lock"]) for w in waits})
    verdict("contended", "" if kinds else "there are no waits for locks")
    for kind in kinds:
        own = [w for w in waits if int(w["for"]["lock"]) == kind]
        verdict(KINDS[kind], judge(kind, own, found, threads))

main(*sys.argv[1:])
