# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The cost of embedding after the stop: time and bytes."""

import load
import recorders
import settings
import stats
from markdown import Table

COMPARED = (recorders.OURS, recorders.OURS_MIN, recorders.OURS_FULL)


def measure_once(recorder):
    with load.endless("mixed"):
        session = recorders.Session(recorder, 999, settle=settings.WORK_SECONDS + 2)
        took = session.stop()
    return {"stop": took, **recorders.stats(recorder, session.path)}


def run(report, say):
    report.heading("Embedding")
    report.text("After the stop of a short recording of the mixed load at 999 Hz: how long it takes "
                "from Ctrl-C to the end of the program, and the size of the file.")
    table = Table("--embed", "stop s", "file KiB", "samples")
    results = {recorder: [] for recorder in COMPARED}
    for number in range(settings.PAIRS):
        say(f"embedding, round {number + 1} of {settings.PAIRS}")
        for recorder in COMPARED:
            results[recorder].append(measure_once(recorder))
    for recorder in COMPARED:
        table.row(recorder.options[1], stats.estimate([r["stop"] for r in results[recorder]]).text(2),
                  stats.estimate([r["bytes"] / 1024 for r in results[recorder]]).text(0),
                  round(stats.median([r["samples"] for r in results[recorder]])))
    report.keep("embedding", {r.name: v for r, v in results.items()})
    report.table(table)
