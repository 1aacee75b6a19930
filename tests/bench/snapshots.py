# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Snapshots of user stacks (--dwarf) at 1000 Hz while clang runs, which keeps no frame pointers and has deep stacks, and with a mix
of deep and shallow stacks; and reading the recording; against perf record --call-graph dwarf,16384."""

import os
import random
import re
import resource
import subprocess
import time

import load
import recorders
import settings
import stats
from markdown import Table, verdict
from waits_recorders import Session

FILES = settings.setting("DWARF_FILES", ["format/event_decoder.c", "format/trace_writer.c", "report/view/event/events.c",
                                         "record/session_open.c", "report/read/trace_records.c"], None, settings.words) or \
    ["format/event_decoder.c"]
REPEATS = settings.setting("DWARF_REPEATS", 4, 1)
REPORT_SAMPLES = settings.setting("DWARF_SAMPLES", 15000, 1000)
FREQUENCY = 1000
CLANG, MIX = "clang", "clang mix"
WORKS = settings.setting("DWARF_WORKS", f"{MIX},{CLANG}", None, str) or MIX


class SnapshotRecorder(recorders.Recorder):
    def command(self, freq, path):
        if self.name.startswith("perf"):
            return ["perf", "record", "-q", "-a", "-e", "cpu-clock:I", "-F", str(FREQUENCY), "--call-graph", "dwarf,16384",
                    "--buildid-mmap", "--no-bpf-event", *self.options, "-o", path]
        return [settings.RECORD, "-p", "0", "--dwarf", "--sw-perf", "--force", *self.options, "-o", path]


OURS, OURS_16, PERF, PERF_Z, ALONE = "rwalker", "rwalker-16k", "perf", "perf-z", "alone"
COMPARED = (OURS, OURS_16, PERF, PERF_Z)
RECORDERS = {
    OURS: SnapshotRecorder("rwalker-dwarf", "rwalker-record --dwarf", ("--embed", "none")),
    OURS_16: SnapshotRecorder("rwalker-dwarf-16k", "rwalker-record --dwarf --dwarf-size 16384",
                              ("--dwarf-size", "16384", "--embed", "none")),
    PERF: SnapshotRecorder("perf-dwarf", "perf record --call-graph dwarf,16384", ()),
    PERF_Z: SnapshotRecorder("perf-dwarf-z", "perf record --call-graph dwarf,16384 -z", ("-z",)),
}


def compile_command():
    one = "clang-14 -O2 -c -x c -I. -D_GNU_SOURCE= -DRWALKER_VERSION='\"\"' -Ibuild -o /dev/null"
    return ["sh", "-c", f"cd {settings.ROOT} && for i in $(seq {REPEATS}); do for f in {' '.join(FILES)}; do {one} $f || exit 1; "
            "done; done"]


def work(beside=0):
    """CPU seconds of the compilations, and of that many units of the mixed load running beside them."""
    commands = [compile_command()] + ([[load.PROGRAM, "mixed", str(beside)]] if beside else [])
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    processes = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for command in commands]
    if any([process.wait() for process in processes]):
        raise SystemExit(f"bench: one of {commands} failed")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def units_beside(name):
    """How many units of the mixed load take as long as the compilations, each alone."""
    begun = time.monotonic()
    work()
    return load.calibrate("mixed", time.monotonic() - begun) if name == MIX else 0


def number(pattern, text):
    found = re.search(pattern, text)
    return int(found.group(1)) if found else 0


def contents(name, path):
    """What is in the file. A stack is truncated where the copy is shorter than the stack: perf's is full then."""
    if name.startswith("perf"):
        held = recorders.perf_stats(path)
        return {"samples": held["samples"], "lost": held["lost"], "bytes": os.path.getsize(path), "truncated": None}
    info = subprocess.run([settings.REPORT, "--info", path], capture_output=True, text=True, check=False).stdout
    cut = number(r"truncated\) \((\d+)\)", info)
    return {"samples": number(r"(\d+) sample", info), "lost": recorders.lost_by_us(path), "bytes": os.path.getsize(path),
            "truncated": cut / max(1, number(r"(\d+) user stacks", info))}


def measure_once(name, beside):
    if name == ALONE:
        return {"cpu": work(beside)}
    session = Session(RECORDERS[name])
    try:
        result = {"cpu": work(beside), "recorder": session.spent()}
    finally:
        after = session.end()
    result.update(contents(name, session.path), after=after)
    os.unlink(session.path)
    return result


def rounds(which, say):
    order, beside = [ALONE, *COMPARED], units_beside(which)
    results = {name: [] for name in order}
    shuffle = random.Random(5)
    for turn in range(settings.PAIRS):
        say(f"dwarf, {which}, round {turn + 1} of {settings.PAIRS}")
        shuffle.shuffle(order)
        for name in order:
            results[name].append(measure_once(name, beside))
    return results


def column(results, name, key):
    return [result[key] for result in results[name]]


def slowdown(results, name):
    return stats.estimate(stats.ratios(column(results, name, "cpu"), column(results, ALONE, "cpu")))


def per_sample(results, name):
    return sum(column(results, name, "bytes")) / max(1, sum(column(results, name, "samples")))


def recording(report, which, results):
    table = Table(f"{which}: recorder", "CPU time of the work", "recorder CPU s", "and to stop", "samples", "lost", "bytes per sample", "truncated")
    for name in COMPARED:
        cut = column(results, name, "truncated")
        table.row(RECORDERS[name].label, slowdown(results, name).text(), f"{stats.median(column(results, name, 'recorder')):.3f}",
                  f"{stats.median(column(results, name, 'after')):.3f}", sum(column(results, name, "samples")),
                  sum(column(results, name, "lost")), f"{per_sample(results, name):.0f}",
                  "" if None in cut else f"{100 * stats.median(cut):.1f} %")
    report.table(table)
    against = Table(f"{which}: against perf record --call-graph dwarf,16384", "value", "target", "met")
    mine, limit = slowdown(results, OURS), slowdown(results, PERF).median + 0.02
    against.row("slowdown, upper bound", f"{mine.high:.3f}", f"<= {limit:.3f}", verdict(mine.high <= limit, f"{mine.high - limit:.3f} above"))
    spent = {name: [r["recorder"] + r["after"] for r in results[name]] for name in COMPARED}
    ratio = stats.estimate(stats.ratios(spent[OURS], spent[PERF]))
    against.row("recorder CPU", ratio.text(), "<= 0.5", verdict(ratio.median <= 0.5, f"{ratio.median:.2f}"))
    for name, most in ((PERF, 0.07), (PERF_Z, 0.7)):
        share = per_sample(results, OURS) / per_sample(results, name)
        against.row(f"bytes per sample, of '{RECORDERS[name].label}'", f"{share:.3f}", f"<= {most}", verdict(share <= most, f"{share:.3f}"))
    cut = stats.median(column(results, OURS, "truncated"))
    against.row("stacks truncated", f"{100 * cut:.2f} %", "< 3 %", verdict(cut < 0.03, f"{100 * cut:.1f} %"))
    report.table(against)


# --- reading ----------------------------------------------------------------------------------------

def timed(command):
    """CPU seconds and the largest memory in MiB of a program."""
    begun = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 3):
        raise SystemExit(f"bench: '{' '.join(command)}' exited {process.returncode}")
    return {"cpu": usage.ru_utime + usage.ru_stime, "wall": time.monotonic() - begun, "rss": usage.ru_maxrss / 1024}


def record_for_reading(name):
    """A trace of about REPORT_SAMPLES samples of clang."""
    session = Session(RECORDERS[name])
    deadline = time.monotonic() + REPORT_SAMPLES / FREQUENCY * 2 + 5
    spent = 0.0
    while spent < REPORT_SAMPLES / FREQUENCY and time.monotonic() < deadline:
        spent += work()
    session.end()
    return session.path


def reading(report, say):
    paths = {name: record_for_reading(name) for name in (OURS, PERF)}
    commands = {OURS: [settings.REPORT, "--tree", paths[OURS]],
                PERF: ["perf", "report", "-i", paths[PERF], "--no-inline", "--stdio", "-g", "caller"]}
    results = {name: [] for name in commands}
    for turn in range(settings.REPORT_PAIRS):
        say(f"dwarf, reading, round {turn + 1} of {settings.REPORT_PAIRS}")
        for name, command in commands.items():
            results[name].append(timed(command))
    held = {name: contents(name, paths[name])["samples"] for name in paths}
    for path in paths.values():
        os.unlink(path)
    report.keep("dwarf-reading", results)
    table = Table("report", "samples", "CPU s", "us per sample", "MiB")
    for name, command in commands.items():
        cpu = stats.median(column(results, name, "cpu"))
        table.row(" ".join(os.path.basename(word) for word in command), held[name], f"{cpu:.3f}", f"{1e6 * cpu / held[name]:.1f}",
                  f"{stats.median(column(results, name, 'rss')):.0f}")
    report.table(table)
    ratio = stats.estimate([(theirs["cpu"] / held[PERF]) / (ours["cpu"] / held[OURS])
                            for ours, theirs in zip(results[OURS], results[PERF])])
    against = Table("whole report", "value", "target", "met")
    against.row("perf's CPU per sample / ours", ratio.text(1), ">= 5", verdict(ratio.median >= 5, f"{ratio.median:.1f}"))
    report.table(against)


def run(report, say):
    report.heading("Snapshots of user stacks")
    report.text(
        f"`clang-14 -O2` compiles {len(FILES)} files {REPEATS} times beside each system-wide recorder at {FREQUENCY} Hz; in the mix, the "
        "mixed load of the other sections runs beside it: call trees, pipes, files, short processes. The CPU time of all that is divided "
        "by that alone in the same round. rwalker copies up to 64 KiB of a stack, perf 16 KiB. Truncated: of the stacks that are "
        "unwound. Bytes are of the whole file, without embedded names.")
    for which in WORKS.split(","):
        results = rounds(which, say)
        report.keep(f"dwarf-{which.replace(' ', '-')}", results)
        recording(report, which, results)
    reading(report, say)
