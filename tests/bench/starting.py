# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""From exec to the first event, while every CPU is busy."""

import re
import subprocess
import time

import load
import recorders
import settings
import stats
from markdown import Table, verdict

FREQ = 4000


def first_perf_event(path):
    done = subprocess.run(["perf", "script", "-i", path, "-F", "time", "--ns"], capture_output=True,
                          text=True, check=True)
    return min(float(line.rstrip(": \n")) for line in done.stdout.split())


def first_our_event(path):
    """The earliest sample of --dump, on CLOCK_MONOTONIC."""
    done = subprocess.run([settings.REPORT, "--dump", path], capture_output=True, text=True)
    times = [int(t) for t in re.findall(r"^ *sample time=(\d+)", done.stdout, re.M)]
    if not times:
        raise SystemExit("bench: no sample in rwalker-report --dump")
    return min(times) / 1e9


def measure_once(recorder, first_event):
    begun = time.clock_gettime(time.CLOCK_MONOTONIC)
    session = recorders.Session(recorder, FREQ)
    session.stop()
    return first_event(session.path) - begun


def run(report, say):
    report.heading("Start")
    report.text(f"Seconds from starting the program to its first sample at {FREQ} Hz, both CPUs busy.")
    perf_k = recorders.Recorder("perf-k", "perf record -g", ("-k", "CLOCK_MONOTONIC"))
    theirs, ours = [], []
    with load.endless("cpu"):
        for number in range(settings.PAIRS):
            say(f"start, round {number + 1} of {settings.PAIRS}")
            theirs.append(measure_once(perf_k, first_perf_event))
            ours.append(measure_once(recorders.OURS, first_our_event))
    ratio = stats.estimate(stats.ratios(ours, theirs))
    table = Table("", "perf", "rwalker", "rwalker / perf", "target", "met")
    table.row("start s", stats.estimate(theirs).text(), stats.estimate(ours).text(), ratio.text(2),
              "<= 2", verdict(ratio.median <= 2, f"{ratio.median:.2f} times"))
    report.keep("starting", {"perf": theirs, "rwalker": ours})
    report.table(table)
