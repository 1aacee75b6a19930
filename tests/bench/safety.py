# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What safety costs: the reporter's sandbox; and, if BENCH_BEFORE is the folder of an earlier build, both programs against its own."""

import os
import pathlib
import random
import resource
import subprocess
import time

import load
import process
import recorders
import settings
import stats
import waits_recorders
import waits_storm
from markdown import Table, verdict

ROUNDS = settings.setting("SAFETY_ROUNDS", 200, 4)  # a report takes milliseconds
BEFORE = os.environ.get("BENCH_BEFORE", "")
SAMPLE = settings.ROOT / "samples/waits/trace.rwk"
NOWHERE = "/nonexistent"
FREQ = 999
LIMIT_MS = 5


class BeforeWaits(waits_recorders.WaitRecorder):
    def command(self, freq, path):
        return [str(pathlib.Path(BEFORE) / "rwalker-record"), *super().command(freq, path)[1:]]


class BeforeSamples(recorders.Recorder):
    def command(self, freq, path):
        return [str(pathlib.Path(BEFORE) / "rwalker-record"), *super().command(freq, path)[1:]]


# --- reports ------------------------------------------------------------------------------------

def reporters():
    """None looks for files of this machine, whose number would be measured."""
    report = ("-q", "--no-cache", "--symfs", NOWHERE, "--debug-dir", NOWHERE, "--tree", str(SAMPLE))
    before = {"before": [str(pathlib.Path(BEFORE) / "rwalker-report"), *report]} if BEFORE else {}
    return {"sandbox": [settings.REPORT, *report], "no sandbox": [settings.REPORT, "--no-sandbox", *report], **before}


def timed(command):
    """Milliseconds of wall-clock time and of CPU time."""
    used, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    passed, after = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    return {"wall": 1e3 * passed, "cpu": 1e3 * (after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime)}


def shuffled(what, count, say, order, once):
    """{name: [result of every round]}"""
    results, order, shuffle = {name: [] for name in order}, list(order), random.Random(7)
    for number in range(count):
        say(f"safety, {what}, round {number + 1} of {count}")
        shuffle.shuffle(order)
        for name in order:
            results[name].append(once(name))
    return results


def report_rows(table, results):
    for other, limit in (("no sandbox", LIMIT_MS), ("before", None)):
        if other not in results:
            continue
        wall, cpu = (stats.estimate([a[key] - b[key] for a, b in zip(results["sandbox"], results[other])]) for key in ("wall", "cpu"))
        least = [min(r["wall"] for r in results[name]) for name in ("sandbox", other)]
        table.row({"before": "the earlier build"}.get(other, "--no-sandbox"), f"{stats.median([r['wall'] for r in results[other]]):.1f}",
                  wall.text(2), cpu.text(2), f"{least[0] - least[1]:.1f}", f"<= {limit} ms" if limit else "",
                  verdict(wall.median <= limit, f"{wall.median:.2f} ms") if limit else "")


# --- recordings ---------------------------------------------------------------------------------

def storm_once(recorder):
    session = waits_recorders.Session(recorder)
    try:
        return {"work": waits_storm.storm(waits_storm.PLACES[0]), "recorder": session.spent()}
    finally:
        session.end()


def profile_once(recorder, units):
    session = recorders.Session(recorder, FREQ)
    begun = process.cpu_seconds(session.pid)
    try:
        return {"work": load.run("mixed", units)["cpu_ns"], "recorder": process.cpu_seconds(session.pid) - begun}
    finally:
        session.stop()


def recordings(say):
    user, ours = waits_recorders.USER, recorders.OURS
    waits = {"now": user, "before": BeforeWaits("rwalker-before", user.label, user.options)}
    samples = {"now": ours, "before": BeforeSamples("rwalker-before", ours.label, ours.options)}
    units = load.calibrate("mixed", settings.WORK_SECONDS)
    yield ("--offcpu 0 -u, the storm on one CPU",
           shuffled("storm", settings.PAIRS, say, waits, lambda name: storm_once(waits[name])))
    yield (f"-p 0 -u -f {FREQ}, the mixed load",
           shuffled("profile", settings.PAIRS, say, samples, lambda name: profile_once(samples[name], units)))


def recording_row(table, what, results):
    work, own = (stats.estimate(stats.ratios([r[key] for r in results["now"]], [r[key] for r in results["before"]]))
                 for key in ("work", "recorder"))
    table.row(what, work.text(), own.text(), "not above 1", verdict(work.low <= 1, f"{work.low:.3f} at least"))


def run(report, say):
    report.heading("What safety costs")
    results = shuffled("reports", ROUNDS, say, reporters(), lambda name: timed(reporters()[name]))
    report.keep("safety", results)
    report.text(
        f"rwalker-report --tree of a trace of {SAMPLE.stat().st_size >> 10} KiB, {ROUNDS} rounds: what it takes more than with "
        "--no-sandbox, which has the same processes without the jail, and than an earlier build, which was one process.")
    table = Table("against", "its ms", "added ms", "added ms of CPU time", "added to the least ms", "target", "met")
    report_rows(table, results)
    report.table(table)
    if not BEFORE:
        return
    table = Table("recording", "work's CPU time, now / before", "recorder's CPU time, now / before", "target", "met")
    for number, (what, results) in enumerate(recordings(say)):
        report.keep(f"safety-recording-{number}", results)
        recording_row(table, what, results)
    report.text(
        f"The same recordings by this build and by the earlier one (BENCH_BEFORE), {settings.PAIRS} rounds: the ratio of the work's CPU "
        "time must not be above 1 by more than its interval.")
    report.table(table)
