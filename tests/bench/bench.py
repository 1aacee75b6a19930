# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""make bench: measures rwalker against perf, interleaved, and writes BENCH.md."""

import shutil
import sys
import time

import embedding
import machine
import markdown
import names
import points
import reporting
import settings
import slowdown
import snapshots
import starting
import steady
import unwinding
import waits
import walk

SECTIONS = {"slowdown": slowdown, "steady": steady, "embedding": embedding, "reporting": reporting,
            "starting": starting, "walk": walk, "waits": waits, "points": points, "dwarf": snapshots,
            "unwind": unwinding, "names": names}


def say(what):
    print(time.strftime("%H:%M:%S"), what, file=sys.stderr, flush=True)


def head(report):
    report.heading("Benchmark", 1)
    report.text(
        "Written by `make bench` (tests/bench/). rwalker and perf take turns on the same work, in "
        f"shuffled order, {settings.PAIRS} rounds unless a section says otherwise. A figure is a median "
        "with its 95 % confidence interval by order statistics, `median [low, high]`; ratios are "
        "formed within a round. Traces are written to "
        f"{settings.TRACES}. Every single measurement is in build/bench/*.json.")
    if settings.QUICK:
        report.text("**This was a quick run (BENCH_QUICK): its figures mean nothing.**")
    table = markdown.Table("", "")
    for what, value in machine.rows():
        table.row(what, value)
    report.table(table)


def measure(report):
    for name in settings.SECTIONS:
        if name not in SECTIONS:
            raise SystemExit(f"bench: no section '{name}'; there are {', '.join(SECTIONS)}")
        SECTIONS[name].run(report, say)
        report.write(settings.OUT / "BENCH.md")


def main():
    report = markdown.Report()
    head(report)
    settings.TRACES.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        measure(report)
    finally:
        if settings.TRACES != settings.OUT:
            shutil.rmtree(settings.TRACES)
    if not settings.QUICK:
        report.write(settings.ROOT / "BENCH.md")
    say(f"written to {settings.OUT / 'BENCH.md' if settings.QUICK else settings.ROOT / 'BENCH.md'}")


if __name__ == "__main__":
    main()
