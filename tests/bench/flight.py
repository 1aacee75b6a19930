# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A recorder that is always on (--flight), beside real work: a build, and a database."""

import os
import pathlib
import random
import re
import shutil
import tempfile
import time

import process
import settings
import stats
import waits_recorders
from markdown import Table, verdict

ROUNDS = settings.setting("FLIGHT_ROUNDS", settings.PAIRS, 1)
TRANSACTIONS = settings.setting("FLIGHT_TRANSACTIONS", 6000, 300)   # of each of the clients
CLIENTS, SCALE = 4, 10
SETTLE_SECONDS = 5
MOST_OF_A_CPU, MOST_RATIO = 1.0, 1.02
OPTIONS = ("--flight", "60s", "-p", "0", "-f", "99", "--wakers", "-u")

AS_NOBODY = ("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups")


class FlightRecorder(waits_recorders.WaitRecorder):
    """Its dumps get new names, whatever files exist."""

    def command(self, freq, path):
        return [settings.RECORD, "--offcpu", "0", *self.options, "-o", path]


FLIGHT = FlightRecorder("rwalker-flight", "rwalker-record --offcpu 0 " + " ".join(OPTIONS), OPTIONS)


class Build:
    """Compiles what both programs share from scratch."""
    name = "make -j2"

    def __init__(self, scratch):
        self.folder = scratch / "build"

    def once(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        return {"cpu": process.cpu_of(["env", "-u", "MAKEFLAGS", "-u", "MAKELEVEL", "CCACHE_DISABLE=1", "make", "-s", "-j2", "-C",
                                       settings.ROOT, f"BUILD={self.folder}", f"{self.folder}/shared.a"])}

    def close(self):
        pass


class Database:
    """A cluster of its own, on the disk, with a socket and no port."""
    name = f"pgbench -c {CLIENTS}"

    def __init__(self, scratch):
        self.data, self.log, self.said = scratch / "data", scratch / "log", scratch / "said"
        os.environ["PATH"] += "".join(f":{path}" for path in sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), reverse=True))
        self.ask("initdb", "-D", self.data, "-U", "nobody", "--no-sync")
        self.ask("pg_ctl", "-D", self.data, "-w", "-t", "120", "-l", self.log, "-o",
                 f"-k {scratch} -c listen_addresses= -c autovacuum=off", "start")
        self.server = int((self.data / "postmaster.pid").read_text().split()[0])
        self.client = ("pgbench", "-h", scratch, "-U", "nobody")
        self.ask(*self.client, "-i", "-q", "-s", SCALE, "postgres")

    def ask(self, *words):
        process.cpu_of([*AS_NOBODY, *words], out=self.said)

    def once(self):
        before = process.cpu_seconds(self.server)
        client = process.cpu_of([*AS_NOBODY, *self.client, "-n", "-c", CLIENTS, "-j", 2, "-t", TRANSACTIONS, "postgres"],
                                out=self.said)
        speed = re.search(r"^tps = ([\d.]+)", self.said.read_text(), re.M)
        return {"cpu": client + process.cpu_seconds(self.server) - before, "speed": float(speed.group(1))}

    def close(self):
        self.ask("pg_ctl", "-D", self.data, "-m", "immediate", "stop")


def bpf_seconds(pid):
    """CPU time of the BPF programs of a process while the kernel kept statistics."""
    found = [re.search(r"^run_time_ns:\s+(\d+)", process.read(path), re.M) for path in pathlib.Path(f"/proc/{pid}/fdinfo").iterdir()]
    return sum(int(match.group(1)) for match in found if match) / 1e9


def beside(work):
    """The work while the recorder is on; its CPU time, and its programs', in percent of a CPU."""
    session = waits_recorders.Session(FLIGHT, SETTLE_SECONDS)
    try:
        begun, before, bpf = time.monotonic(), session.spent(), bpf_seconds(session.pid)
        result = work.once()
        took = time.monotonic() - begun
        result["recorder"] = 100 * (session.spent() - before) / took
        result["bpf"] = 100 * (bpf_seconds(session.pid) - bpf) / took
    finally:
        session.end()
    lost = re.search(r"([\d,]+) lost", session.message())
    result["lost"] = int(lost.group(1).replace(",", "")) if lost else 0
    return result


def with_statistics(work):
    with process.program_statistics():
        return beside(work)["bpf"]


def rounds(work, say):
    results = {"alone": [], "beside": [], "bpf": []}
    shuffle = random.Random(9)
    kinds = {"alone": work.once, "beside": lambda: beside(work), "bpf": lambda: with_statistics(work)}
    work.once()
    for number in range(ROUNDS):
        say(f"flight, {work.name}, round {number + 1} of {ROUNDS}")
        order = list(kinds)
        shuffle.shuffle(order)
        for kind in order:
            results[kind].append(kinds[kind]())
    return results


def of(results, kind, key):
    return [result[key] for result in results[kind]]


def row(table, work, results):
    recorder = stats.estimate(of(results, "beside", "recorder"))
    ratio = stats.estimate(stats.ratios(of(results, "beside", "cpu"), of(results, "alone", "cpu")))
    speed = stats.estimate(stats.ratios(of(results, "beside", "speed"), of(results, "alone", "speed"))).text() \
        if "speed" in results["alone"][0] else ""
    lost = sum(of(results, "beside", "lost"))
    missed = ([f"{recorder.median:.2f} %"] if recorder.median > MOST_OF_A_CPU else []) + \
             ([f"{ratio.median:.3f}"] if ratio.median > MOST_RATIO else []) + ([f"{lost} lost"] if lost else [])
    table.row(work.name, f"{stats.median(of(results, 'alone', 'cpu')):.2f}", recorder.text(2), stats.estimate(results["bpf"]).text(2),
              ratio.text(), speed, lost, verdict(not missed, ", ".join(missed)))


def measure(kind, table, report, say):
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="rwalker-bench-", dir="/var/tmp"))
    shutil.chown(scratch, "nobody", "nogroup")
    work = None
    try:
        work = kind(scratch)
        results = rounds(work, say)
        report.keep(f"flight-{kind.__name__.lower()}", results)
        row(table, work, results)
    finally:
        if work:
            work.close()
        shutil.rmtree(scratch, ignore_errors=True)


def has_database():
    installed = shutil.which("initdb") or list(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return bool(installed) and bool(shutil.which("pgbench"))


def run(report, say):
    table = Table("work", "its CPU s, alone", "recorder and helpers, % of a CPU", "BPF programs, % of a CPU", "work's CPU time",
                  "its transactions/s", "lost", "met")
    for kind in (Build, Database) if has_database() else (Build,):
        measure(kind, table, report, say)
    report.heading("Always on")
    report.text(
        f"`{FLIGHT.label}` beside real work: a build of what both programs share with make -j2, and pgbench with {CLIENTS} clients on "
        f"a cluster of its own (PostgreSQL, scale {SCALE}, {TRANSACTIONS} transactions of each client). The recorder is started "
        f"{SETTLE_SECONDS} s before and makes no dump meanwhile. Recorder: the CPU time of all of its threads and helpers while the work "
        "runs. BPF programs: what the kernel counts with kernel.bpf_stats_enabled, in rounds of their own. They run in the "
        "time of the work, so they are also in its CPU time, which is divided by that alone in the same round. Targets: at most "
        f"{MOST_OF_A_CPU:.0f} % of a CPU for the recorder, at most {MOST_RATIO:.2f} times the work's CPU time, nothing lost.")
    report.table(table)
