# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Reporting a large trace, each program on its own file of the same run."""

import os
import subprocess
import time

import load
import recorders
import settings
import stats
from markdown import Table, verdict

FREQ = 4000

# Rings as large as ours, so that it loses as little.
PERF_BESIDE = recorders.Recorder("perf", "perf record -g", ("-m", "8M"))


def timed(command):
    """(seconds, peak MiB) of a command and its children."""
    begun = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, use = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 3):
        raise SystemExit(f"bench: '{command[0]}' exited {process.returncode}")
    return time.monotonic() - begun, use.ru_maxrss / 1024


def record_both(say):
    """Runs both recorders on the same work until there are enough samples; returns their sessions.

    perf starts last and stops first: perf report fails on files in which BPF programs come or go.
    """
    seconds = settings.SAMPLES / (FREQ * os.cpu_count()) * 1.15
    say(f"reporting: recording {settings.SAMPLES} samples, about {seconds:.0f} s")
    with load.endless("mixed"):
        sessions = [recorders.Session(r, FREQ) for r in (recorders.OURS_FULL, PERF_BESIDE)]
        time.sleep(seconds)
        for session in reversed(sessions):
            session.stop()
    return sessions


def run(report, say):
    ours, perf = record_both(say)
    held = {"perf": recorders.stats(perf.recorder, perf.path),
            "rwalker": recorders.stats(ours.recorder, ours.path)}
    commands = {
        "perf": ["perf", "report", "-i", perf.path, "--stdio", "--no-inline", "-g", "caller"],
        "rwalker": [settings.REPORT, "--tree", ours.path],
    }
    results = {name: [] for name in commands}
    for number in range(settings.REPORT_PAIRS):
        say(f"reporting, round {number + 1} of {settings.REPORT_PAIRS}")
        for name, command in commands.items():
            results[name].append(timed(command))
    report.keep("reporting", {"held": held, **results})
    write(report, held, results)


def write(report, held, results):
    report.heading("Reporting")
    report.text(
        f"perf report --stdio --no-inline -g caller on {held['perf']['samples']} samples "
        f"({held['perf']['bytes'] >> 20} MiB), rwalker-report --tree on {held['rwalker']['samples']} "
        f"({held['rwalker']['bytes'] >> 20} MiB) of the same run of the mixed load, files in the page "
        "cache, output thrown away. Peak memory is ru_maxrss.")
    table = Table("", "perf", "rwalker", "rwalker / perf", "target", "met")
    for index, (what, digits, limit) in enumerate((("seconds", 2, 0.1), ("peak MiB", 1, 0.25))):
        perf, ours = ([r[index] for r in results[name]] for name in ("perf", "rwalker"))
        ratio = stats.estimate(stats.ratios(ours, perf))
        table.row(what, stats.estimate(perf).text(digits), stats.estimate(ours).text(digits),
                  ratio.text(), f"<= {limit}", verdict(ratio.median <= limit, f"{ratio.median:.2f} times"))
    report.table(table)
