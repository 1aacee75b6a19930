#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A reporter that makes up its report from the truth in the "trace", with one mistake, $FAKE_FAULT, or none, to test whether
waits_check.py finds mistakes. Options are --dump and --folded."""
import os
import sys

import waits_trace as wt

fault, threads = os.environ.get("FAKE_FAULT", ""), wt.read_truth(sys.argv[-1])
WAKERS = {"chain-a": (1, "chain-b"), "chain-b": (1, "chain-c")}


# fault -> how much later each wait begins and ends than it should, and which do: all of them, some, or the longest.
SHIFTS = {
    "shorter": (2_000_000, 0, lambda number, longest: True),
    "late": (0, 2_000_000, lambda number, longest: True),
    "early": (-2_000_000, -2_000_000, lambda number, longest: True),
    "some": (2_000_000, 0, lambda number, longest: number % 4 == 0),
    "moved": (1_500_000, 1_500_000, lambda number, longest: longest),
    "stolen": (0, -3_000_000, lambda number, longest: longest or number % 30 == 7),  # no fault: the clock was read late
}


def waits_of(thread):
    for number, bracket in enumerate(thread.brackets):
        begin, end = bracket.begin + 1500, bracket.end - 2500
        first, last, concerns = SHIFTS.get(fault, (0, 0, lambda *_: False))
        if concerns(number, bracket is thread.longest):
            begin, end = begin + first, end + last
        if not (fault == "missing" and number % 20 == 0):
            yield bracket, begin, end


def dump():
    clock = threads[0].brackets[0]
    print("chunk 0 section 0 offset 64 type EVENTS codec 0 flags 0x0 stored 1 raw 1 first 0 last 0")
    print("  clock time=%d boottime=0 realtime=%d tai=0 window=0" % (clock.begin, clock.begin_real + (10**7 if fault == "clock" else 0)))
    print('  source id=1 kind=2 weight=2 name="offcpu" frequency=0 period=0 start=%d stop=0 flags=0x0 least=1000000' % threads[0].born)
    number = 0
    for thread in threads:
        comm = thread.comm if fault != "comm" else "other"
        context, waker = WAKERS.get(thread.comm, (3, "swapper/0"))
        if fault == "waker" and waker == "chain-c":
            waker = "chain-a"
        print('  task tgid=%d tid=%d start=1 flags=0x0 comm="%s"' % (thread.tgid, thread.tid, comm))
        print('  task tgid=1 tid=1 start=1 flags=0x0 comm="%s"' % waker)
        number += 2
        for _, begin, end in waits_of(thread):
            print("  wait cpu=0 task=%d source=1 flags=0xc wait_class=%d state=0x1 time=%d length=%d run_queue=900 context=%d waker=%d woken=900"
                  % (number - 1, fault == "class", end, end - begin, context, number))
            if fault == "twice":
                print("  wait cpu=0 task=%d source=1 flags=0x4 wait_class=0 state=0x1 time=%d length=9 run_queue=0" % (number - 1, end))
    print("section 0 offset 0 closed 1 reason 0")


def folded():
    for thread in threads:
        total = sum(end - begin for _, begin, end in waits_of(thread))
        path = thread.path if fault != "path" else thread.path[:-1] + ["other"]
        print("%s;main;%s;schedule %d" % (thread.comm, ";".join(path), total // 1000))


{"--dump": dump, "--folded": folded}[sys.argv[1]]()
