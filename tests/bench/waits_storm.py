# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Recording during a storm of context switches: two tasks that pass a byte back and forth through pipes; alone, and beside threads
with a given number of waits per second that are long enough to be recorded."""

import contextlib
import os
import random
import re
import subprocess
from dataclasses import dataclass

import process
import settings
import stats
import waits_recorders as recorders
from markdown import Table, verdict
from waits_recorders import ALL, ALL_USER, DWARF, PEER, PERF, PERF_Z, PLAIN, USER, WAKERS

LOOPS = settings.setting("STORM_LOOPS", 500000, 50000)
RATES = settings.setting("STORM_RATES", [1000, 10000], [1000, 10000], lambda text: [int(r) for r in settings.words(text)])
CPU = str(max(os.sched_getaffinity(0)))
DWARF_RATE = 1000  # at which --dwarf has a target
LIMITS = {PLAIN: 1.10, USER: 1.20, WAKERS: 1.30}


@dataclass(frozen=True)
class Place:
    name: str
    key: str
    prefix: tuple


PLACES = (Place("one CPU", "pinned", ("taskset", "-c", CPU)), Place("all CPUs", "free", ()))


def storm(place, loops=LOOPS):
    """CPU seconds of the work; the number of switches is the same each time."""
    return process.cpu_of([*place.prefix, "perf", "bench", "sched", "pipe", "-l", str(loops)])


@contextlib.contextmanager
def steady(place, rate, account):
    """That many waits per second while the body runs; the workload's own count of them is stored in account."""
    if not rate:
        yield
        return
    command = [*place.prefix, str(settings.WORKLOADS / "waits"), "steady", str(rate)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as work:
        work.stdout.readline()
        try:
            yield
        finally:
            said, _ = work.communicate()
    account.update({key: int(value) for key, value in (line.split() for line in said.splitlines())})


def steady_in_trace(path):
    """Blocked waits of the steady threads that the trace holds."""
    done = subprocess.run([settings.REPORT, "--summary", "-c", "^steady-", path], capture_output=True, text=True)
    found = re.search(r"^# blocked [\d.]+ ms \((\d+)\)", done.stdout, re.M)
    if done.returncode not in (0, 3) or not found:
        raise SystemExit(f"bench: 'rwalker-report --summary' does not show the waits: {done.stderr.strip()}")
    return int(found.group(1))


def work_once(place, rate):
    account = {}
    with steady(place, rate, account):
        result = {"cpu": storm(place)}
    if rate:
        result["steady"] = account
        result["cpu per wait"] = account["cpu_ns"] / account["waits"]
    return result


def measure_once(recorder, place, rate):
    if recorder is None:
        return work_once(place, rate)
    session = recorders.Session(recorder)
    try:
        result = work_once(place, rate)
        result["recorder"] = session.spent()
    finally:
        after = session.end()
    result.update(recorders.contents(session), after=after)
    if rate and recorder is WAKERS:
        result["rate"] = steady_in_trace(session.path) / (result["steady"]["wall_ns"] / 1e9)
    return result


def rounds(compared, place, rate, say):
    order = [None, *compared]
    results = {recorder: [] for recorder in order}
    shuffle = random.Random(3)
    beside = f" beside {rate} waits/s" if rate else ""
    for number in range(settings.PAIRS):
        say(f"storm, {place.name}{beside}, round {number + 1} of {settings.PAIRS}")
        shuffle.shuffle(order)
        for recorder in order:
            results[recorder].append(measure_once(recorder, place, rate))
    return results


def keep(report, name, results):
    report.keep(name, {recorder.name if recorder else "alone": values for recorder, values in results.items()})


# --- ratios -----------------------------------------------------------------------------------------

def column(results, recorder, key):
    return [result[key] for result in results[recorder]]


def ratio_to(results, recorder, other, key="cpu"):
    return stats.estimate(stats.ratios(column(results, recorder, key), column(results, other, key)))


def held(results, recorder):
    """(events, lost, bytes per event) of all rounds, "" for what is not known: offcputime keeps sums only."""
    if None in column(results, recorder, "events"):
        return "", "", ""
    events, lost, size = (sum(column(results, recorder, key)) for key in ("events", "lost", "bytes"))
    return events, lost, f"{size / events:.1f}" if events else ""


def seconds(results, recorder, key):
    return f"{stats.median(column(results, recorder, key)):.3f}"


# --- the storm alone --------------------------------------------------------------------------------

def storm_rows(table, place, results):
    for recorder in results:
        if recorder is None:
            continue
        ratio, limit = ratio_to(results, recorder, None), LIMITS.get(recorder)
        events, lost, size = held(results, recorder)
        table.row(place.name, recorder.label, ratio.text(), seconds(results, recorder, "recorder"),
                  seconds(results, recorder, "after"), events, lost, size,
                  f"<= {limit:.2f}" if limit else "",
                  verdict(ratio.median <= limit and not lost, f"{ratio.median:.2f}, {lost} lost") if limit else "")


def added(results, recorder):
    alone = column(results, None, "cpu")
    return [cpu - base for cpu, base in zip(column(results, recorder, "cpu"), alone)]


def every_wait_rows(table, place, results):
    """-m 0 against perf, with target ratios."""
    for name, mine, theirs, limit in (
            ("added time, kernel stacks", added(results, ALL), added(results, PERF), 0.45),
            ("added time, -u", added(results, ALL_USER), added(results, PERF), 1.0),
            ("recorder CPU", column(results, ALL, "recorder"), column(results, PERF, "recorder"), 0.25),
            ("recorder CPU, perf -z", column(results, ALL, "recorder"), column(results, PERF_Z, "recorder"), 1.0)):
        ratio = stats.estimate(stats.ratios(mine, theirs))
        table.row(place.name, name, ratio.text(), f"<= {limit}", verdict(ratio.median <= limit, f"{ratio.median:.2f}"))


def run_alone(report, say):
    table = Table("storm", "recorder", "work's CPU time", "recorder CPU s", "and to stop", "events", "lost",
                  "bytes per event", "target", "met")
    every = Table("storm", "-m 0 against perf", "ratio", "target", "met")
    for place in PLACES:
        results = rounds((PLAIN, USER, WAKERS, ALL, ALL_USER, PERF, PERF_Z, *recorders.peers()), place, 0, say)
        keep(report, f"waits-{place.key}", results)
        storm_rows(table, place, results)
        every_wait_rows(every, place, results)
    report.heading("Waits")
    report.text(
        f"perf bench sched pipe -l {LOOPS}: the CPU time of the work while waits are recorded, divided by its CPU time "
        "alone in the same round. Recorder CPU is that of the recorder's threads and helpers while the work runs, and what it "
        "takes them to stop: to write what is left, or to name the functions in offcputime's table. "
        "Shorter waits than 1 ms are only summed but for -m 0; perf records every switch, idle's too; offcputime keeps a sum "
        "for each stack, and says nothing of losses.")
    report.table(table)
    report.table(every)


# --- beside waits that are recorded -------------------------------------------------------------------

def together(results, recorder):
    """CPU seconds of the storm, and of as many steady waits as in the round without a recorder."""
    return [mine["cpu"] + mine["cpu per wait"] * base["steady"]["waits"] / 1e9
            for mine, base in zip(results[recorder], results[None])]


def steady_rows(table, place, rate, results):
    for recorder in results:
        if recorder is None:
            continue
        events, lost, _ = held(results, recorder)
        own = [s["waits"] / (s["wall_ns"] / 1e9) for s in column(results, recorder, "steady")]
        in_trace = f"{stats.median(column(results, recorder, 'rate')):.0f}" if recorder is WAKERS else ""
        table.row(place.name, rate, recorder.label, f"{stats.median(own):.0f}", in_trace,
                  ratio_to(results, recorder, None).text(), ratio_to(results, recorder, None, "cpu per wait").text(),
                  seconds(results, recorder, "recorder"), seconds(results, recorder, "after"), events, lost)


def against_peer_rows(table, place, rate, results):
    lost = held(results, WAKERS)[1]
    for name, ratio in (
            ("the storm", ratio_to(results, WAKERS, PEER)),
            ("storm and steady waits", stats.estimate(stats.ratios(together(results, WAKERS), together(results, PEER))))):
        table.row(place.name, rate, name, ratio.text(), "<= 1.00",
                  verdict(ratio.median <= 1 and not lost, f"{ratio.median:.2f}, {lost} lost"))


def dwarf_row(table, place, rate, results):
    lost, ratio = held(results, DWARF)[1], ratio_to(results, DWARF, None)
    table.row(place.name, rate, "the storm", ratio.text(), "<= 1.25",
              verdict(ratio.median <= 1.25 and not lost, f"{ratio.median:.2f}, {lost} lost"))


def run_steady(report, say):
    table = Table("storm", "waits/s", "recorder", "by their own account", "in the trace", "storm's CPU time",
                  "CPU time of a steady wait", "recorder CPU s", "and to stop", "events", "lost")
    against = Table("storm", "waits/s", "CPU time", "rwalker / offcputime", "target", "met")
    snapshots = Table("storm", "waits/s", "CPU time", "with --dwarf / alone", "target", "met")
    for place in PLACES:
        for rate in RATES:
            results = rounds((WAKERS, DWARF, *recorders.peers()), place, rate, say)
            keep(report, f"waits-{place.key}-{rate}", results)
            steady_rows(table, place, rate, results)
            if PEER in results:
                against_peer_rows(against, place, rate, results)
            if rate == DWARF_RATE:
                dwarf_row(snapshots, place, rate, results)
    report.heading("Waits that are recorded", 3)
    report.text(
        "The same storm beside threads that make so many waits a second of more than 1 ms, a dozen frames deep, half of them "
        "ended by a timer and half by another thread; on the storm's CPU where that is pinned. Both CPU times are divided by "
        "those without a recorder in the same round: the storm's, and what a steady wait costs its thread. Together: the storm "
        "and as many steady waits as without a recorder. rwalker records each wait with the stacks of sleeper and waker, "
        "offcputime sums them by the sleeper's stack." + ("" if recorders.peers() else " **offcputime is not installed here.**"))
    report.table(table)
    if recorders.peers():
        report.table(against)
    report.table(snapshots)
