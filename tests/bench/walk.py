# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A walk of all tasks while thousands of threads sleep, against reading every stack from /proc."""

import contextlib
import glob
import os
import subprocess
import time

import settings
import stats
from markdown import Table, verdict


@contextlib.contextmanager
def sleepers(count):
    with subprocess.Popen([str(settings.WORKLOADS / "threads"), str(count)], stdin=subprocess.PIPE,
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


def run(report, say):
    path = str(settings.TRACES / "walk.trace")
    walk = [settings.RECORD, "-a", "--embed", "none", "--force", "-o", path]
    theirs, ours = [], []
    with sleepers(settings.THREADS):
        # cat exits 1 when a task is gone by the time it is read.
        stacks = ["cat", *glob.glob("/proc/[0-9]*/task/[0-9]*/stack")]
        for number in range(settings.PAIRS):
            say(f"walk, round {number + 1} of {settings.PAIRS}")
            theirs.append(seconds_of(stacks, (0, 1)))
            ours.append(seconds_of(walk, (0,)))
    write(report, theirs, ours, os.path.getsize(path), len(stacks) - 1)


def write(report, theirs, ours, size, tasks):
    ratio = stats.estimate(stats.ratios(ours, theirs))
    report.keep("walk", {"cat": theirs, "rwalker": ours, "tasks": tasks, "bytes": size})
    report.heading("A walk of all tasks")
    report.text(
        f"cat of {tasks} files /proc/*/task/*/stack, and the whole of rwalker-record -a --embed none: "
        f"start, load, walk, stop. The file has {size >> 10} KiB.")
    table = Table("", "cat", "rwalker-record -a", "rwalker / cat", "target", "met")
    table.row("seconds", stats.estimate(theirs).text(), stats.estimate(ours).text(), ratio.text(),
              "<= 0.2", verdict(ratio.median <= 0.2, f"{ratio.median:.2f} times"))
    report.table(table)
