# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Every text export of a trace with many waits: how fast it is written."""

import os
import subprocess

import settings
import stats
import waits_recorders as recorders
import waits_storm
import waits_views
from markdown import Table, verdict

ROUNDS = settings.setting("EXPORT_ROUNDS", 3, 1)
FORMS = ("speedscope", "chrome", "firefox")
LEAST_MB, LEAST_EVENTS = 20, 1000000  # a CPU second: one of the two


def record(say):
    """(file, events): waits, and the wakeups that ended them."""
    say(f"exports: recording {waits_views.WAITS} waits")
    session = recorders.Session(waits_views.OURS)
    try:
        waits_storm.storm(waits_storm.PLACES[0], waits_views.WAITS // 2)
    finally:
        session.stop()
    with subprocess.Popen([settings.REPORT, "--export", "perf-script", session.path], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as running:
        events = sum(not line.startswith(b"\t") and line != b"\n" for line in running.stdout)
    return session.path, events


def measure(path, say):
    """{form: [(seconds, CPU seconds, MiB, bytes), ...]}"""
    results, made = {form: [] for form in FORMS}, settings.TRACES / "export"
    for number in range(ROUNDS):
        say(f"exports, round {number + 1} of {ROUNDS}")
        for form in FORMS:
            took = waits_views.timed([settings.REPORT, "--export", form, "-o", str(made), "--force", path])
            results[form].append((*took, os.path.getsize(made)))
            made.unlink()
    return results


def run(report, say):
    path, events = record(say)
    results = measure(path, say)
    report.keep("exports", {"events": events, **results})
    table = Table("export", "seconds", "CPU s", "peak MiB", "MB", "MB per CPU s", "events per CPU s", "met")
    for form, runs in results.items():
        took, cpu, peak, size = ([one[index] for one in runs] for index in range(4))
        rate, each = max(size) / 1e6 / stats.median(cpu), events / stats.median(cpu)
        table.row(form, stats.estimate(took).text(), f"{stats.median(cpu):.3f}", f"{max(peak):.1f}", f"{max(size) / 1e6:.1f}",
                  f"{rate:.1f}", f"{each:.0f}", verdict(rate >= LEAST_MB or each >= LEAST_EVENTS))
    report.heading("Exports", 3)
    report.text(
        f"A storm of waits, with the wakeups that ended them and user stacks: {events} events in {waits_views.mib(path)} MiB. Each "
        f"export into a file in memory, reading the trace included, {ROUNDS} rounds. It is one process that works, so the rates are "
        f"those of a quiet machine. Peak memory is ru_maxrss. Target: {LEAST_MB} MB or {LEAST_EVENTS} events a second.")
    report.table(table)
