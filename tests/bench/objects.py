#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""objects.py told|storm [WAY...]: what it costs to read what waits were for, in each way to wait of tests/live/workloads/handover, by
the kernel's own account of the time of its BPF programs. told: all waits are recorded (-m 0), ns for each. storm: they are shorter than
the usual -m, and only summed; the work's CPU time with objects, divided by that without. Two recorders, with and without objects, see
the same waits, so that what else runs here weighs the same in both."""

import json
import os
import random
import re
import subprocess
import sys

import process
import settings
import stats
from markdown import Table, verdict

WAYS = {"told": ("read", "recv", "recvtcp", "poll", "poll4", "select", "epoll", "futex", "sleep"),
        "storm": ("read", "poll", "epoll", "futex", "pi", "mmap")}
OPTIONS = {"told": ("-m", "0"), "storm": ()}
LOOPS = settings.setting("OBJECTS_LOOPS", 10000, 3000)
CPU = str(max(os.sched_getaffinity(0)))
CPUS = ",".join(map(str, os.sched_getaffinity(0)))
LIMITS = {"told": 150, "storm": 1.01}    # ns; of a ratio
CONTENDED = 1.03    # likewise, where locks are waited for
PROGRAMS = ("wait_switch", "wait_lock_begin", "wait_lock_end")
KINDS = {"with": (), "without": ("--no-objects",)}


def programs_of(pid):
    """ns so far of the programs that this recorder has loaded."""
    ids, spent = set(), 0
    for number in os.listdir(f"/proc/{pid}/fdinfo"):
        ids.update(re.findall(r"^prog_id:\s*(\d+)", process.read(f"/proc/{pid}/fdinfo/{number}"), re.M))
    for number in ids:
        done = subprocess.run(["bpftool", "-j", "prog", "show", "id", number], capture_output=True, text=True, check=False)
        known = json.loads(done.stdout or "{}")
        if known.get("name") in PROGRAMS:
            spent += known.get("run_time_ns", 0)
    return spent


def counted(spent):
    if not all(ns for ns, _ in spent.values()):
        raise SystemExit(f"objects: the kernel counted no time of our programs: {spent}")
    return spent


def start_recorder(pid, name, options):
    """A recorder of one process's waits, which is recording: its own command has begun."""
    recorder = subprocess.Popen([settings.RECORD, "--offcpu", "0", "--system-wide", "--pid", str(pid), "--embed", "none", "--force", *options,
                                 "-o", str(settings.TRACES / f"objects-{name}.trace"), "--", "sh", "-c", "echo ready; read end"],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if recorder.stdout.readline() != "ready\n":
        raise SystemExit(f"objects: the recorder exited {recorder.wait()}: {recorder.stderr.read()}")
    return recorder


def stop(recorder):
    """How many waits it recorded."""
    said = recorder.communicate("\n")[1]
    found = re.search(r"([\d,]+) waits?, 0 lost", said)
    if recorder.returncode not in (0, 1) or not found:
        raise SystemExit(f"objects: the recorder exited {recorder.returncode}: {said}")
    return int(found.group(1).replace(",", ""))


def once(mode, way, first):
    """{name: (ns of the programs, recorded waits)}, and the ns of CPU time of the work. first: whose programs run first."""
    order = sorted(KINDS, key=lambda name: name != first)
    with subprocess.Popen(["taskset", "-c", CPUS if way == "mmap" else CPU, "sh", "-c", 'read go; exec "$@"', "sh",
                           str(settings.WORKLOADS / "handover"), way, str(LOOPS)], stdin=subprocess.PIPE, text=True) as work:
        recorders = {name: start_recorder(work.pid, name, (*OPTIONS[mode], *KINDS[name])) for name in order}
        before = {name: programs_of(recorders[name].pid) for name in order}
        work.stdin.write("\n")
        work.stdin.close()
        _, status, usage = os.wait4(work.pid, 0)
        work.returncode = os.waitstatus_to_exitcode(status)
        if work.returncode:
            raise SystemExit(f"objects: 'handover {way}' exited {work.returncode}")
        after = {name: programs_of(recorders[name].pid) for name in order}
    return {name: (after[name] - before[name], stop(recorders[name])) for name in order}, 1e9 * (usage.ru_utime + usage.ru_stime)


def told(spent, _):
    """ns for each recorded wait."""
    if min(count for _, count in spent.values()) < 1.9 * LOOPS:
        raise SystemExit(f"objects: not all waits were recorded: {spent}")
    return spent["with"][0] / spent["with"][1] - spent["without"][0] / spent["without"][1]


def storm(spent, cpu):
    """The work's CPU time has both recorders' programs in it."""
    return (cpu - spent["without"][0]) / (cpu - spent["with"][0])


def both_orders(mode, way, shuffle):
    """The mean: whose programs run second finds in the caches what the first has read, which is up to half a microsecond."""
    return sum({"told": told, "storm": storm}[mode](counted(spent), cpu)
               for spent, cpu in (once(mode, way, first) for first in shuffle.sample(list(KINDS), len(KINDS)))) / len(KINDS)


def main():
    mode, wanted = sys.argv[1], sys.argv[2:] or WAYS[sys.argv[1]]
    shuffle = random.Random(7)
    table = Table("way", "ns a wait" if mode == "told" else "with objects / without", "target", "met")
    settings.TRACES.mkdir(parents=True, exist_ok=True)
    for way in wanted:
        limit = CONTENDED if way in ("pi", "mmap") else LIMITS[mode]
        with process.program_statistics():
            added = stats.estimate([both_orders(mode, way, shuffle) for _ in range(settings.PAIRS)])
        digits = 0 if mode == "told" else 4
        table.row(way, added.text(digits), f"<= {limit}", verdict(added.median <= limit, f"{added.median:.{digits}f}"))
        print(table.lines()[-1], flush=True)
    print("\n".join(table.lines()))


if __name__ == "__main__":
    main()
