# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Recording the hits of a tracepoint: of context switches while two threads pass a byte back and forth on one CPU, and of every
system call while a thread makes one after the other; without a pause, and with some work before each one."""

import os
import random
import re
import subprocess
from dataclasses import dataclass

import recorders
import settings
import stats
from markdown import Table, verdict
from waits_recorders import Session

RATE_LIMIT = settings.setting("POINTS_RATE_LIMIT", 1000, 1000)
SCALE = settings.setting("POINTS_SCALE", 1.0, 0.1, float)   # scales the work
LOOPS = settings.setting("POINTS_LOOPS", 20000, 20000)      # of arithmetic before each call, where there is a pause: about 40 us
WANTED = settings.setting("POINTS_LOADS", [], [], settings.words)
CPU = str(max(os.sched_getaffinity(0)))


@dataclass(frozen=True)
class Load:
    key: str
    name: str
    event: str
    words: tuple
    count: int
    loops: int

    def command(self):
        return ["taskset", "-c", CPU, str(settings.WORKLOADS / "calls"), *self.words, str(max(1, int(self.count * SCALE))),
                *([str(self.loops)] if self.loops else [])]


SWITCH, CALL = "sched:sched_switch", "raw_syscalls:sys_enter"
LOADS = (Load("switches", "switches, now and then", SWITCH, ("pairs",), 40000, LOOPS),
         Load("calls", "system calls, now and then", CALL, ("hot", "getppid"), 80000, LOOPS),
         Load("switch-storm", "switches, a storm", SWITCH, ("pairs",), 300000, 0),
         Load("call-storm", "system calls, a storm", CALL, ("hot", "getppid"), 2000000, 0))


class PointRecorder(recorders.Recorder):
    """Records hits, so there is no frequency."""

    def command(self, freq, path):
        if self.name.startswith("perf"):
            return ["perf", "record", "-q", "-a", "-g", "--buildid-mmap", "--no-bpf-event", *self.options, "-o", path]
        return [settings.RECORD, "-u", "--force", "--embed", "none", *self.options, "-o", path]


OURS, LIMITED, PERF, PERF_Z, ALONE = "rwalker", "rwalker-limited", "perf", "perf-z", "alone"
COMPARED = (OURS, LIMITED, PERF, PERF_Z)
LABELS = {OURS: "rwalker-record -u", LIMITED: f"rwalker-record -u --rate-limit {RATE_LIMIT}", PERF: "perf record -g",
          PERF_Z: "perf record -g -z"}


def recorder_of(name, event):
    options = {OURS: ("--trace", event), LIMITED: ("--trace", event, "--rate-limit", str(RATE_LIMIT)), PERF: ("-e", event),
               PERF_Z: ("-e", event, "-z")}
    return PointRecorder(name + "-point", LABELS[name], options[name])


# --- one run ----------------------------------------------------------------------------------------

def work(load):
    """CPU seconds and wall-clock seconds of the work."""
    with subprocess.Popen(load.command(), stdout=subprocess.PIPE, text=True) as process:
        said = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    told = re.search(r"^path .* wall=(\d+)", said, re.M)
    if process.returncode or not told:
        raise SystemExit(f"bench: '{' '.join(load.command())}' exited {process.returncode}")
    return {"cpu": usage.ru_utime + usage.ru_stime, "wall": int(told.group(1)) / 1e9}


def number_in(pattern, text):
    found = re.search(pattern, text)
    return int(found.group(1).replace(",", "")) if found else None


def contents(session):
    """What was recorded and what was lost, from the recorder's last line or perf's own report; None if unknown."""
    size = os.path.getsize(session.path)
    if session.recorder.name.startswith("perf"):
        held = recorders.perf_stats(session.path)
        known = bool(held["samples"])   # else foreign BPF programs came or went, and perf 6.1 cannot read its own file
        return {"events": held["samples"] if known else None, "lost": held["lost"] if known else None, "bytes": size,
                "counted": None}
    events, lost = (number_in(pattern, session.message()) for pattern in (r"([\d,]+) hits", r"([\d,]+) lost"))
    if events is None:
        raise SystemExit(f"bench: '{session.recorder.label}' does not say what it recorded: {session.message()}")
    return {"events": events, "lost": lost, "bytes": size, "counted": counted(session.path)}


def counted(path):
    """All hits as the views count them, including those without an event."""
    done = subprocess.run([settings.REPORT, "--counts", "--max-groups", "1", path], capture_output=True, text=True, check=False)
    return number_in(r"# \S+: (\d+) hits", done.stdout + done.stderr)


def measure_once(name, load):
    if name == ALONE:
        return work(load)
    session = Session(recorder_of(name, load.event))
    try:
        result = work(load)
        result["recorder"] = session.spent()
    finally:
        after = session.end()
    result.update(contents(session), after=after)
    os.unlink(session.path)
    return result


def rounds(load, say):
    order = [ALONE, *COMPARED]
    results = {name: [] for name in order}
    shuffle = random.Random(4)
    for number in range(settings.PAIRS):
        say(f"points, {load.name}, round {number + 1} of {settings.PAIRS}")
        shuffle.shuffle(order)
        for name in order:
            results[name].append(measure_once(name, load))
    return results


# --- the tables ---------------------------------------------------------------------------------------

def column(results, recorder, key):
    return [result[key] for result in results[recorder]]


def total(results, recorder, key):
    values = column(results, recorder, key)
    return None if None in values else sum(values)


def slowdown(results, recorder):
    return stats.estimate(stats.ratios(column(results, recorder, "cpu"), column(results, ALONE, "cpu")))


def recorder_cpu(results, recorder):
    """CPU time while it records, and to stop."""
    return [result["recorder"] + result["after"] for result in results[recorder]]


def bytes_per_event(results, recorder):
    events, size = total(results, recorder, "events"), total(results, recorder, "bytes")
    return size / events if events else None


def shown(number, digits=0):
    return "" if number is None else f"{number:.{digits}f}"


def rows(table, load, results):
    rate = load_rate(load, results)
    for recorder in COMPARED:
        table.row(load.name, f"{rate:.0f}", LABELS[recorder], slowdown(results, recorder).text(),
                  f"{stats.median(column(results, recorder, 'recorder')):.3f}",
                  f"{stats.median(column(results, recorder, 'after')):.3f}",
                  shown(total(results, recorder, "counted")), shown(total(results, recorder, "events")),
                  shown(total(results, recorder, "lost")), shown(bytes_per_event(results, recorder), 1))


def load_rate(load, results):
    """Calls per second without a recorder; each of a pair's two threads makes all of them."""
    count = max(1, int(load.count * SCALE)) * (2 if load.words[0] == "pairs" else 1)
    return count / stats.median(column(results, ALONE, "wall"))


def targets(table, load, results):
    perf = slowdown(results, PERF)
    for recorder in (OURS, LIMITED):
        mine = slowdown(results, recorder)
        limit = perf.median + 0.02
        table.row(load.name, LABELS[recorder], "slowdown, upper bound", f"{mine.high:.3f}", f"<= {limit:.3f}",
                  verdict(mine.high <= limit, f"{mine.high - limit:.3f} above"))
        ratio = stats.estimate(stats.ratios(recorder_cpu(results, recorder), recorder_cpu(results, PERF)))
        table.row(load.name, LABELS[recorder], "recorder CPU / perf's", ratio.text(), "<= 0.333",
                  verdict(ratio.median <= 1 / 3, f"{ratio.median:.2f}"))
    ours, theirs = bytes_per_event(results, OURS), bytes_per_event(results, PERF)
    if ours and theirs:
        table.row(load.name, LABELS[OURS], "bytes per event / perf's", f"{ours / theirs:.3f}", "<= 0.05",
                  verdict(ours / theirs <= 0.05, f"{ours / theirs:.3f}"))
    lost = total(results, LIMITED, "lost")
    table.row(load.name, LABELS[LIMITED], "lost", lost, "0", verdict(not lost, lost))


def run(report, say):
    table = Table("work", "hits/s, alone", "recorder", "CPU time of the work", "recorder CPU s", "and to stop", "counted", "events",
                  "lost", "bytes per event")
    against = Table("work", "recorder", "against perf record -g", "value", "target", "met")
    for load in LOADS:
        if WANTED and load.key not in WANTED:
            continue
        results = rounds(load, say)
        report.keep(f"points-{load.key}", results)
        rows(table, load, results)
        targets(against, load, results)
    report.heading("Tracepoints")
    report.text(
        f"{SWITCH} of two threads that pass a byte to and fro on one CPU, and {CALL} of a thread on one CPU that asks for its "
        f"parent over and over: with {LOOPS} loops of arithmetic before each (now and then), and without (a storm). All "
        "recorders are system-wide and take kernel and user stacks by frame pointer. CPU time of the work is divided by that "
        "alone in the same round. Recorder CPU is that of the recorder's threads and helpers while the work runs, and what it "
        "takes them to stop; perf counts its own system calls as events, rwalker leaves its own out. counted: hits of all "
        "rounds that are in the trace as a number; events: those that have their stacks in it. Target for the slowdown: the "
        "upper confidence bound is at most perf's median + 0.02.")
    report.table(table)
    report.table(against)
