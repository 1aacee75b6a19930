# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A walk of all tasks while thousands of threads sleep, against reading every stack from /proc."""

import contextlib
import glob
import os
import re
import subprocess
import time

import settings
import stats
from markdown import Table, verdict


@contextlib.contextmanager
def sleepers(count):
    with subprocess.Popen([str(settings.WORKLOADS / "sleepers"), "threads", str(count)], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as process:
        try:
            process.stdout.readline()
            yield
        finally:
            process.stdin.close()


def seconds_of(command, allowed):
    begun = time.monotonic()
    code = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
    if code not in allowed:
        raise SystemExit(f"bench: '{command[0]}' exited {code}")
    return time.monotonic() - begun


def seconds_of_walk(path):
    """The time between the two records that begin and end the walk."""
    done = subprocess.run([settings.REPORT, "--dump", path], capture_output=True, text=True)
    times = [int(t) for t in re.findall(r"^ *walk time=(\d+)", done.stdout, re.M)]
    if len(times) < 2:
        raise SystemExit("bench: no walk in rwalker-report --dump")
    return (max(times) - min(times)) / 1e9


def run(report, say):
    path = str(settings.TRACES / "walk.trace")
    command = [settings.RECORD, "-a", "--embed", "none", "--force", "-o", path]
    times = {"cat": [], "whole": [], "walk": []}
    with sleepers(settings.THREADS):
        # cat exits 1 if a task has exited before it is read.
        stacks = ["cat", *glob.glob("/proc/[0-9]*/task/[0-9]*/stack")]
        for number in range(settings.PAIRS):
            say(f"walk, round {number + 1} of {settings.PAIRS}")
            times["cat"].append(seconds_of(stacks, (0, 1)))
            times["whole"].append(seconds_of(command, (0,)))
            times["walk"].append(seconds_of_walk(path))
    write(report, times, os.path.getsize(path), len(stacks) - 1)


def write(report, times, size, tasks):
    report.keep("walk", {**times, "tasks": tasks, "bytes": size})
    report.heading("A walk of all tasks")
    report.text(
        f"cat of {tasks} files /proc/*/task/*/stack, against the walk of rwalker-record -a (from its "
        "first record to its last), and against the whole program, --embed none: load, attach, state "
        f"of all processes, walk, stop. The file has {size >> 10} KiB.")
    table = Table("", "cat, s", "rwalker, s", "rwalker / cat", "target", "met")
    for what, key, target in (("walk", "walk", 0.2), ("whole program", "whole", None)):
        ratio = stats.estimate(stats.ratios(times[key], times["cat"]))
        met = target and verdict(ratio.median <= target, f"{ratio.median:.2f} times")
        table.row(what, stats.estimate(times["cat"]).text(), stats.estimate(times[key]).text(4),
                  ratio.text(), f"<= {target}" if target else "", met or "")
    report.table(table)
