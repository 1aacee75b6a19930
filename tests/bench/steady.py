# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Long runs of endless work: the recorder's own CPU time, its memory, its file, what it lost."""

import random
import time

import load
import process
import recorders
import settings
import stats
from markdown import Table, verdict

COMPARED = (recorders.PERF, recorders.PERF_Z, recorders.OURS)
WATCHES = 6     # looks at memory per run


def watch(session, seconds):
    """CPU seconds used and memory seen in that many seconds, after a sixth of them to warm up."""
    time.sleep(seconds / WATCHES)
    memory, helpers = [], 0
    cpu, begun = process.cpu_seconds(session.pid), time.monotonic()
    for number in range(WATCHES):
        time.sleep(max(0, begun + seconds * (number + 1) / WATCHES - time.monotonic()))
        helpers = max(helpers, len(process.family(session.pid)) - 1)
        memory.append(process.memory_mib(session.pid))
    spent = process.cpu_seconds(session.pid) - cpu
    return {"cpu": spent / (time.monotonic() - begun), "helpers": helpers,
            "memory": [m[0] for m in memory], "rings": max(m[1] for m in memory)}


def measure_once(recorder, name, freq):
    with load.endless(name):
        session = recorders.Session(recorder, freq, settle=3)
        seen = watch(session, settings.LONG_SECONDS)
        seen["stop"] = session.stop()
    seen.update(recorders.stats(recorder, session.path))
    return seen


def rounds(name, freq, say):
    results = {recorder: [] for recorder in COMPARED}
    order = list(COMPARED)
    shuffle = random.Random(2)
    for number in range(settings.LONG_PAIRS):
        say(f"steady state {name} {freq} Hz, round {number + 1} of {settings.LONG_PAIRS}")
        shuffle.shuffle(order)
        for recorder in order:
            results[recorder].append(measure_once(recorder, name, freq))
    return results


def column(results, recorder, key):
    return [r[key] for r in results[recorder]]


def per_sample(results, recorder):
    return [r["bytes"] / max(1, r["samples"]) for r in results[recorder]]


def growth(results, recorder):
    """MiB between the second look and the last; flat is 0."""
    return [r["memory"][-1] - r["memory"][1] for r in results[recorder]]


def cost_rows(table, name, freq, results):
    ours = column(results, recorders.OURS, "cpu")
    for recorder, limit in ((recorders.PERF, 0.5), (recorders.PERF_Z, 1.0)):
        ratio = stats.estimate(stats.ratios(ours, column(results, recorder, "cpu")))
        table.row(name, freq, recorder.label,
                  f"{1000 * stats.median(column(results, recorder, 'cpu')):.2f}",
                  f"{1000 * stats.median(ours):.2f}", ratio.text(), f"<= {limit}",
                  verdict(ratio.median <= limit, f"{ratio.median:.2f} times"))


def size_rows(table, name, freq, results):
    ours = per_sample(results, recorders.OURS)
    for recorder, limit in ((recorders.PERF, 0.15), (recorders.PERF_Z, 0.8)):
        theirs = per_sample(results, recorder)
        ratio = stats.estimate(stats.ratios(ours, theirs))
        table.row(name, freq, recorder.label, f"{stats.median(theirs):.1f}",
                  f"{stats.median(ours):.1f}", ratio.text(), f"<= {limit}",
                  verdict(ratio.median <= limit, f"{ratio.median:.2f} times"))


def faults(peak, lost, grew):
    """The targets that our own row misses, in words; "" if none."""
    said = [f"{peak:.0f} MiB"] if peak > 48 else []
    said += [f"{lost} lost"] if lost else []
    said += [f"grew {grew:.1f} MiB"] if abs(grew) >= 1 else []
    return ", ".join(said)


def host_rows(table, name, freq, results):
    for recorder in COMPARED:
        peak = max(max(m) for m in column(results, recorder, "memory"))
        lost = sum(column(results, recorder, "lost"))
        grew = stats.median(growth(results, recorder))
        missed = faults(peak, lost, grew)
        table.row(name, freq, recorder.label, sum(column(results, recorder, "samples")), lost,
                  f"{peak:.1f}", f"{grew:+.2f}", f"{max(column(results, recorder, 'rings')):.1f}",
                  max(column(results, recorder, "helpers")),
                  f"{stats.median(column(results, recorder, 'stop')):.2f}",
                  verdict(not missed, missed) if recorder is recorders.OURS else "")


def run(report, say):
    cost = Table("load", "Hz", "against", "its ms of CPU per s", "ours", "ours / its", "target", "met")
    size = Table("load", "Hz", "against", "its bytes per sample", "ours", "ours / its", "target", "met")
    host = Table("load", "Hz", "recorder", "samples", "lost", "memory MiB", "growth MiB", "rings MiB",
                 "helpers", "stop s", "met")
    for name in settings.LONG_LOADS:
        for freq in settings.LONG_FREQS:
            results = rounds(name, freq, say)
            report.keep(f"steady-{name}-{freq}", {r.name: v for r, v in results.items()})
            cost_rows(cost, name, freq, results)
            size_rows(size, name, freq, results)
            host_rows(host, name, freq, results)
    write(report, cost, size, host)


def write(report, cost, size, host):
    report.heading("The recorder in the steady state")
    report.text(
        f"Endless work, {settings.LONG_SECONDS} s watched from "
        f"{3 + settings.LONG_SECONDS / WATCHES:.0f} s after the start, {settings.LONG_PAIRS} rounds. "
        "CPU time is that of all threads and helper processes of the recorder, from the scheduler's "
        "nanoseconds; start, stop and embedding are not in it. What a recorder loses it does not pay "
        "for: the losses are below.")
    report.table(cost)
    report.heading("Bytes per sample")
    report.text(
        "Size of the whole file divided by the samples in it, for the same runs. Equal content: idle "
        "is excluded on both sides in the kernel (perf's modifier :I), both files hold the timeline of "
        "processes and mappings with build-ids, neither holds symbols (ours: --embed none). perf's samples of "
        "itself are in its file, ours are not in ours.")
    report.table(size)
    report.heading("Memory, losses, helpers")
    report.text(
        "Resident memory of the recorder and its helpers beside the rings (smaps, without mappings of "
        f"perf_event and bpf-map), the largest of {WATCHES} looks per run; growth from the second "
        "look to the last, median. Target for ours: at most 48 MiB, flat within 1 MiB, nothing lost. "
        "Stop is the time from Ctrl-C to the end of the program, ours without embedding.")
    report.table(host)
