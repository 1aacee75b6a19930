# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Unwinding by call frame information: one perf.data file of each of two compilers, unwound by us, perf and libdwfl in turn.

perf's CPU time for unwinding is that of `perf report -g caller` minus that of `perf report -g none`, both without inlining.
"""

import json
import os
import pathlib
import random
import shutil
import subprocess

import process
import settings
import stats
from markdown import Table, verdict

ROUNDS = settings.setting("UNWIND_ROUNDS", min(settings.PAIRS, 9), 2)
SECONDS = settings.setting("UNWIND_SECONDS", 15, 4)     # of CPU that a compiler may take while it is recorded
ORACLE = settings.BUILD / "tests/oracle/against_perf"
COMPILERS = {"cc1": "gcc", "clang": "clang-14"}
TIMES = {"cc1": 3, "clang": 1}                          # gcc finishes much earlier
TARGETS = (("warm", "perf", 20), ("cold", "perf", 12), ("warm", "dwfl_warm", 5))
LABELS = {"cold": "ours, cold", "warm": "ours, warm", "perf": "perf report", "dwfl_cold": "libdwfl, cold", "dwfl_warm": "libdwfl, warm"}


def record(name, folder):
    """Records a compiler's run with perf, and saves perf's output as text."""
    data, text = folder / f"{name}.data", folder / f"{name}.txt"
    compiler = [COMPILERS[name], "-O2", "-S", "-o", "/dev/null", str(folder / "busy.c")]
    subprocess.run(["perf", "record", "-q", "--buildid-mmap", "--no-bpf-event", "-e", "cpu-clock", "-F", "997", "--call-graph",
                    "dwarf,16384", "-o", data, "--", "prlimit", f"--cpu={SECONDS}", "sh", "-c",
                    f'for i in $(seq {TIMES[name]}); do "$@"; done', "sh", *compiler],
                   check=False, stderr=subprocess.DEVNULL)    # fails if the compiler is still running by then
    with open(text, "w", encoding="ascii") as file:
        subprocess.run(["perf", "script", "-F", "pid,tid,time,ip", "--ns", "--no-inline", "--max-stack", "1024", "-i", data],
                       check=True, stdout=file, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    return data, text


def cpu_of(*command):
    return process.cpu_of(command)


def perf_report(data, graph):
    return cpu_of("perf", "report", "--stdio", "--no-inline", "-g", graph, "-i", data)


def measure(name, data, text):
    done = subprocess.run([ORACLE, "-b", "1", name, data, text], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def rounds(name, data, text, say):
    results, seconds = None, []
    shuffle = random.Random(5)
    for number in range(ROUNDS):
        say(f"unwind, {name}, round {number + 1} of {ROUNDS}")
        order, spent = ["ours", "caller", "none"], {}
        shuffle.shuffle(order)
        for what in order:
            if what == "ours":
                results = measure(name, data, text)
                spent.update(results["rounds"][0])
            else:
                spent[what] = perf_report(data, what)
        spent["perf"] = spent["caller"] - spent["none"]
        seconds.append(spent)
    return {**results, "rounds": seconds}


def frames_of(results, who):
    """Frames that count: those on which ours and the other agree."""
    return results["equal_dwfl" if who.startswith("dwfl") else "equal_perf"]


def rates(results, who):
    """Millions of frames per second."""
    return [frames_of(results, who) / spent[who] / 1e6 for spent in results["rounds"]]


def rows(table, name, results):
    for who, label in LABELS.items():
        total = results[{"perf": "perf"}.get(who, "dwfl" if who.startswith("dwfl") else "ours")]
        table.row(name, label, results["samples"], total, frames_of(results, who), stats.estimate(rates(results, who)).text())


def targets(table, name, results):
    for ours, other, wanted in TARGETS:
        frames = frames_of(results, other)
        mine = [frames / spent[ours] for spent in results["rounds"]]
        theirs = [frames / spent[other] for spent in results["rounds"]]
        ratio = stats.estimate(stats.ratios(mine, theirs))
        table.row(name, LABELS[ours], LABELS[other], ratio.text(1), f">= {wanted}",
                  verdict(ratio.median >= wanted, f"{ratio.median:.1f}"))


def make_source(folder):
    subprocess.run(["bash", "-c", ". tests/oracle/programs.bash"], cwd=settings.ROOT, check=True,
                   env={**os.environ, "dir": str(folder)})


def run(report, say):
    report.heading("Unwinding")
    if not os.access(ORACLE, os.X_OK):
        report.text("Not measured: the oracle is built only where libdw-dev is.")
        return
    table = Table("program", "who", "samples", "frames", "of them equal", "million equal frames per second")
    against = Table("program", "who", "against", "frames per second, ratio", "target", "met")
    folder = pathlib.Path(settings.TRACES) / "unwind"
    folder.mkdir(parents=True, exist_ok=True)
    make_source(folder)
    for name, compiler in COMPILERS.items():
        if not shutil.which(compiler):
            report.text(f"{name} is not measured: there is no '{compiler}' here.")
            continue
        data, text = record(name, folder)
        results = rounds(name, data, text, say)
        report.keep(f"unwind-{name}", results)
        rows(table, name, results)
        targets(against, name, results)
        data.unlink()
    shutil.rmtree(folder)
    report.text(
        "What `perf record -e cpu-clock -F 997 --call-graph dwarf,16384` wrote of a compiler that translates one file, unwound "
        "without names. Only frames count that ours and the other found alike, from the leaf on. CPU time, "
        f"{ROUNDS} rounds. perf: `perf report --no-inline -g caller` less `-g none`. Cold: nothing is opened or compiled; files are "
        "in the page cache. Warm: the same once more. Ours and libdwfl run in one process, without reading the file.")
    report.table(table)
    report.table(against)
