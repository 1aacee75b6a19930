# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How much a fixed amount of work is slowed down while it is recorded."""

import random

import load
import recorders
import settings
import stats
from markdown import Table, verdict

COMPARED = (None, recorders.PERF, recorders.OURS)


def measure_once(recorder, name, units, freq):
    if recorder is None:
        return load.run(name, units)
    session = recorders.Session(recorder, freq)
    try:
        return load.run(name, units)
    finally:
        session.stop()


def rounds(name, units, freq, say):
    """{recorder: [result of every round]}; the order within a round is shuffled."""
    results = {recorder: [] for recorder in COMPARED}
    order = list(COMPARED)
    shuffle = random.Random(1)
    for number in range(settings.PAIRS):
        say(f"slowdown {name} {freq} Hz, round {number + 1} of {settings.PAIRS}")
        shuffle.shuffle(order)
        for recorder in order:
            results[recorder].append(measure_once(recorder, name, units, freq))
    return results


def slowdown(results, recorder, key):
    return stats.estimate(stats.ratios([r[key] for r in results[recorder]],
                                       [r[key] for r in results[None]]))


def row(table, name, freq, results):
    perf, ours = (slowdown(results, r, "cpu_ns") for r in (recorders.PERF, recorders.OURS))
    perf_wall, ours_wall = (slowdown(results, r, "wall_ns") for r in (recorders.PERF, recorders.OURS))
    limit = perf.median + 0.02
    table.row(name, freq, perf.text(), ours.text(), perf_wall.text(), ours_wall.text(),
              f"<= {limit:.3f}", verdict(ours.high <= limit, f"{ours.high - limit:.3f} above"))


def run(report, say):
    report.heading("Slowdown of the work")
    report.text(
        "Time of a fixed amount of work while recorded, divided by its time alone in the same "
        "round; 1.000 is no slowdown. CPU time is what the kernel accounts to the work and its "
        "children, interrupts and BPF programs that run in it included. The recorder starts "
        f"{recorders.SETTLE_SECONDS} s before the work. Target: the upper confidence bound of our "
        "CPU-time ratio is at most perf's median + 0.02.")
    table = Table("load", "Hz", "perf -g, CPU", "rwalker, CPU", "perf -g, wall", "rwalker, wall",
                  "target", "met")
    for name in settings.LOADS:
        units = load.calibrate(name, settings.WORK_SECONDS)
        for freq in settings.FREQS:
            results = rounds(name, units, freq, say)
            report.keep(f"slowdown-{name}-{freq}",
                        {r.name if r else "alone": v for r, v in results.items()})
            row(table, name, freq, results)
    report.table(table)
