# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Off-CPU recording beside a storm of context switches: two tasks that pass a byte to and fro through pipes."""

import os
import random
import re
import shutil
import subprocess

import process
import recorders
import settings
import stats
from markdown import Table, verdict

LOOPS = settings.setting("STORM_LOOPS", 500000, 50000)
CPU = str(max(os.sched_getaffinity(0)))


class WaitRecorder(recorders.Recorder):
    """Of waits: there is no frequency."""

    def command(self, freq, path):
        if self.name.startswith("perf"):
            return ["perf", "record", "-q", "-a", "-e", "sched:sched_switch", "-g", "--buildid-mmap",
                    "--no-bpf-event", *self.options, "-o", path]
        if self.name == "offcputime":
            return ["offcputime", *self.options, "86400"]
        return [settings.RECORD, "--offcpu", "0", "--embed", "none", "--force", *self.options, "-o", path]


def ours(name, *options):
    return WaitRecorder("rwalker-" + name, "rwalker-record --offcpu 0 " + " ".join(options), options)


PLAIN, USER, WAKERS = ours("plain"), ours("user", "-u"), ours("wakers", "--wakers", "-u")
ALL, ALL_USER = ours("all", "-m", "0"), ours("all-user", "-m", "0", "-u")
PERF = WaitRecorder("perf-switch", "perf record -e sched:sched_switch -g", ())
PERF_Z = WaitRecorder("perf-switch-z", "perf record -e sched:sched_switch -g -z", ("-z",))
PEER = WaitRecorder("offcputime", "offcputime -m 1000 (libbpf-tools)", ("-m", "1000"))
LIMITS = {PLAIN: 1.10, USER: 1.20, WAKERS: 1.30}


def compared():
    return (None, PLAIN, USER, WAKERS, ALL, ALL_USER, PERF, PERF_Z, *((PEER,) if shutil.which("offcputime") else ()))


def storm(pinned):
    """CPU seconds of the work; it is the same number of switches each time."""
    command = ["perf", "bench", "sched", "pipe", "-l", str(LOOPS)]
    if pinned:
        command = ["taskset", "-c", CPU, *command]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as work:
        _, status, usage = os.wait4(work.pid, 0)
        work.returncode = os.waitstatus_to_exitcode(status)
    if work.returncode:
        raise SystemExit(f"bench: '{' '.join(command)}' exited {work.returncode}")
    return usage.ru_utime + usage.ru_stime


def said_by_us(session):
    """(waits, lost) of the recorder's last line."""
    found = re.search(r"([\d,]+) waits, ([\d,]+) lost", session.message())
    if not found:
        raise SystemExit(f"bench: '{session.recorder.label}' does not say what it recorded: {session.message()}")
    return tuple(int(number.replace(",", "")) for number in found.groups())


def contents(recorder, session):
    if recorder.name == "offcputime":
        return {"events": 0, "lost": 0, "bytes": 0}
    size = os.path.getsize(session.path)
    if recorder.name.startswith("perf"):
        held = recorders.perf_stats(session.path)
        return {"events": held["samples"], "lost": held["lost"], "bytes": size}
    waits, lost = said_by_us(session)
    return {"events": waits, "lost": lost, "bytes": size}


def measure_once(recorder, pinned):
    if recorder is None:
        return {"cpu": storm(pinned)}
    session = recorders.Session(recorder, 0)
    try:
        before = process.cpu_seconds(session.pid)
        result = {"cpu": storm(pinned)}
        result["recorder"] = process.cpu_seconds(session.pid) - before
    finally:
        session.stop()
    result.update(contents(recorder, session))
    return result


def rounds(pinned, say):
    order = list(compared())
    results = {recorder: [] for recorder in order}
    shuffle = random.Random(3)
    for number in range(settings.PAIRS):
        say(f"storm, {'pinned' if pinned else 'not pinned'}, round {number + 1} of {settings.PAIRS}")
        shuffle.shuffle(order)
        for recorder in order:
            results[recorder].append(measure_once(recorder, pinned))
    return results


def column(results, recorder, key):
    return [result[key] for result in results[recorder]]


def slowdown(results, recorder):
    return stats.estimate(stats.ratios(column(results, recorder, "cpu"), column(results, None, "cpu")))


def storm_rows(table, where, results):
    for recorder in results:
        if recorder is None:
            continue
        ratio, limit = slowdown(results, recorder), LIMITS.get(recorder)
        events, lost = sum(column(results, recorder, "events")), sum(column(results, recorder, "lost"))
        size = sum(column(results, recorder, "bytes"))
        table.row(where, recorder.label, ratio.text(), f"{stats.median(column(results, recorder, 'recorder')):.3f}",
                  events, lost, f"{size / events:.1f}" if events and size else "",
                  f"<= {limit:.2f}" if limit else "",
                  verdict(ratio.median <= limit and not lost, f"{ratio.median:.2f}, {lost} lost") if limit else "")


def added(results, recorder):
    alone = column(results, None, "cpu")
    return [cpu - base for cpu, base in zip(column(results, recorder, "cpu"), alone)]


def every_wait_rows(table, where, results):
    """-m 0 against perf, by the issue's own ratios."""
    for name, mine, theirs, limit in (
            ("added time, kernel stacks", added(results, ALL), added(results, PERF), 0.45),
            ("added time, -u", added(results, ALL_USER), added(results, PERF), 1.0),
            ("recorder CPU", column(results, ALL, "recorder"), column(results, PERF, "recorder"), 0.25),
            ("recorder CPU, perf -z", column(results, ALL, "recorder"), column(results, PERF_Z, "recorder"), 1.0)):
        ratio = stats.estimate(stats.ratios(mine, theirs))
        table.row(where, name, ratio.text(), f"<= {limit}", verdict(ratio.median <= limit, f"{ratio.median:.2f}"))


def run(report, say):
    table = Table("storm", "recorder", "work's CPU time", "recorder CPU s", "events", "lost", "bytes per event",
                  "target", "met")
    every = Table("storm", "-m 0 against perf", "ratio", "target", "met")
    for pinned in (True, False):
        where = "one CPU" if pinned else "all CPUs"
        results = rounds(pinned, say)
        report.keep(f"waits-{'pinned' if pinned else 'free'}", {r.name if r else "alone": v for r, v in results.items()})
        storm_rows(table, where, results)
        every_wait_rows(every, where, results)
    report.heading("Waits")
    report.text(
        f"perf bench sched pipe -l {LOOPS}: the CPU time of the work while waits are recorded, divided by its CPU time "
        "alone in the same round. Recorder CPU is that of the recorder's threads and helpers while the work runs. "
        "Shorter waits than 1 ms are only summed but for -m 0; perf records every switch, idle's too.")
    report.table(table)
    report.table(every)
