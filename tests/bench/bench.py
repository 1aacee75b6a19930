# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""make bench: measures rwalker against perf, interleaved, and rewrites the sections in BENCH_SECTIONS (all) of build/bench/BENCH.md."""

import shutil
import signal
import sys
import time
from dataclasses import dataclass

import machine
import markdown
import reporting
import settings
import slowdown
import steady
import unwinding
import waits_cost
import waits_storm
import walk
from page import Page


@dataclass(frozen=True)
class Section:
    """run: a function of a Report and a progress callback. rounds: how often it measures, which the page says."""
    run: object
    rounds: int = settings.PAIRS


# In the order of the page.
SECTIONS = {
    "slowdown": Section(slowdown.run), "steady": Section(steady.run, settings.LONG_PAIRS),
    "reporting": Section(reporting.run, settings.REPORT_PAIRS), "walk": Section(walk.run),
    "waits": Section(waits_storm.run_alone), "steady-waits": Section(waits_storm.run_steady),
    **{section.key: Section(section.run) for section in waits_cost.SECTIONS},
    "unwind": Section(unwinding.run, unwinding.ROUNDS)}

PAGE = settings.OUT / "BENCH.md"


def say(what):
    print(time.strftime("%H:%M:%S"), what, file=sys.stderr, flush=True)


def wanted():
    """The names of the sections to measure."""
    chosen = settings.SECTIONS or list(SECTIONS)
    for name in chosen:
        if name not in SECTIONS:
            raise SystemExit(f"bench: no section '{name}'; there are {', '.join(SECTIONS)}")
    return chosen


def head():
    report = markdown.Report()
    report.heading("Benchmark", 1)
    report.text(
        "Written by `make bench` (tests/bench/). rwalker and perf take turns on the same work, in shuffled order. A figure is a "
        "median with its 95 % confidence interval by order statistics, `median [low, high]`; ratios are formed within a round. "
        f"Traces are written to {settings.TRACES}. Every single measurement is in build/bench/*.json. Each section says when it was "
        "measured, and with how many rounds; `BENCH_SECTIONS=\"walk waits\" make bench` renews those two. The machine, as it was at "
        "the start of the last run of all sections:")
    if settings.QUICK:
        report.text("**This was a quick run (BENCH_QUICK): its figures mean nothing.**")
    table = markdown.Table("", "")
    for what, value in machine.rows():
        table.row(what, value)
    report.table(table)
    return report.all()


def measure(name, state):
    """The section, and the conditions under which it was measured."""
    report, begun = markdown.Report(), time.localtime()
    SECTIONS[name].run(report, say)
    rounds = SECTIONS[name].rounds
    report.text(f"Measured {machine.span(begun, time.localtime())} ({state}) with {rounds} round{'s' if rounds != 1 else ''}.")
    return report.all()


def renew(path):
    """Measures, and writes the page after each section, so an interrupted run loses only one."""
    chosen, state = wanted(), machine.state()
    page = Page(path.read_text(encoding="utf-8") if path.exists() and not settings.QUICK else "")
    if set(chosen) == set(SECTIONS) or not page.head:
        page.head = head()
    for name in chosen:
        page.renew(name, measure(name, state), list(SECTIONS))
        path.write_text(page.text(), encoding="utf-8")


def main():
    # A shell starts background jobs with SIGINT ignored, and every recorder would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    settings.TRACES.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        renew(PAGE)
    finally:
        if settings.TRACES != settings.OUT:
            shutil.rmtree(settings.TRACES)
    say(f"written to {PAGE}")


if __name__ == "__main__":
    main()
