#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""alarms_outside.py FILE CGROUP: while FILE exists, reads from the kernel, twice a second, what rules of --trigger
are about. Prints, with times of the monotonic clock (ns):

    psi TIME NAME TOTAL...        time with pressure, us, of cpu.some, io.some ...; each look begins with it
    cpu TIME USED                 CPU time of the cgroup, us
    task TIME TID STATE RAN QUEUED   a thread that ran since the last look, or is new: CPU and run queue time, ns
    gone TIME TID
"""
import os
import sys
import time

PERIOD = 0.5


def text(path):
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def pressures():
    for name in "cpu", "io", "memory":
        for line in text("/proc/pressure/" + name).splitlines():
            yield "%s.%s %s" % (name, line.split()[0], line.rpartition("=")[2])


def threads():
    for process in os.listdir("/proc"):
        if process.isdigit():
            try:
                yield from (int(thread) for thread in os.listdir("/proc/%s/task" % process))
            except OSError:
                pass


def look(known, tid, out):
    counts = text("/proc/%d/schedstat" % tid).split()
    if not counts:
        return None
    if known.get(tid) != counts:
        state = text("/proc/%d/stat" % tid).rpartition(")")[2].split()
        if state:
            out.append("task %d %d %s %s %s" % (time.monotonic_ns(), tid, state[0], counts[0], counts[1]))
    return counts


def main():
    running, cgroup = sys.argv[1:]
    known = {}
    while os.path.exists(running):
        begin = time.monotonic()
        out = ["psi %d %s" % (time.monotonic_ns(), " ".join(pressures()))]
        usage = text(cgroup + "/cpu.stat").split()
        out.append("cpu %d %s" % (time.monotonic_ns(), usage[1] if usage else 0))
        seen = {}
        for tid in threads():
            counts = look(known, tid, out)
            if counts:
                seen[tid] = counts
        out += ["gone %d %d" % (time.monotonic_ns(), tid) for tid in known if tid not in seen]
        known = seen
        print("\n".join(out), flush=True)
        time.sleep(max(0.05, PERIOD - (time.monotonic() - begin)))


main()
