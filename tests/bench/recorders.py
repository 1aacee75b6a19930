# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The recorders that are compared: all system-wide, kernel + user stacks by frame pointer, idle left out.

perf's modifier ":I" sets exclude_idle, so both sides hold the same kind of samples. Both sides use cpu-clock:
rwalker-record --sw-perf, perf -e cpu-clock. perf gets build-ids from the kernel's mmap records as we do
(--buildid-mmap): its file then holds what ours does, it need not read the file again at the end, and another
recorder on the host does not spoil its records.
"""

import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass

import settings

SETTLE_SECONDS = 1.5    # from exec until the work begins; start-up is measured separately
STOP_SECONDS = 120      # perf reads its file again and writes it a second time


@dataclass(frozen=True)
class Recorder:
    name: str
    label: str
    options: tuple

    def command(self, freq, path):
        if self.name.startswith("perf"):
            return ["perf", "record", "-q", "-a", "-e", "cpu-clock:I", "-F", str(freq), "-g",
                    "--buildid-mmap", "--no-bpf-event", *self.options, "-o", path]
        return [settings.RECORD, "-p", "0", "-u", "--sw-perf", "-f", str(freq), "--force",
                *self.options, "-o", path]


PERF = Recorder("perf", "perf record -g", ())
PERF_Z = Recorder("perf-z", "perf record -g -z", ("-z",))
OURS = Recorder("rwalker", "rwalker-record -u", ("--embed", "none"))
OURS_FULL = Recorder("rwalker-full", "rwalker-record -u, --embed full", ("--embed", "full"))


class Session:
    """A running recorder: started when created, ended by stop()."""

    def __init__(self, recorder, freq, settle=SETTLE_SECONDS):
        self.recorder = recorder
        self.path = str(settings.TRACES / f"{recorder.name}.trace")
        if os.path.exists(self.path):
            os.unlink(self.path)
        self.errors = open(self.path + ".err", "w+", encoding="utf-8", errors="replace")
        self.process = subprocess.Popen(recorder.command(freq, self.path), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=self.errors)
        time.sleep(settle)
        if self.process.poll() is not None:
            raise SystemExit(f"bench: '{recorder.label}' did not start: {self.message()}")

    @property
    def pid(self):
        return self.process.pid

    def message(self):
        self.errors.seek(0)
        return self.errors.read().strip()

    def stop(self):
        """Sends Ctrl-C; returns the seconds until it had exited."""
        begun = time.monotonic()
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            raise SystemExit(f"bench: '{self.recorder.label}' does not stop: {self.message()}") from None
        took = time.monotonic() - begun
        # perf dies of the signal it was sent; ours exits with 3 if events were lost.
        if self.process.returncode not in (0, 3, -signal.SIGINT, 128 + signal.SIGINT):
            raise SystemExit(f"bench: '{self.recorder.label}' exited {self.process.returncode}: "
                             f"{self.message()}")
        return took


# --- what a file holds --------------------------------------------------------------------------

def perf_stats(path):
    done = subprocess.run(["perf", "report", "-i", path, "--stats"], capture_output=True, text=True,
                          check=True)
    def count(kind):
        found = re.search(rf"^ +{kind} events: +(\d+)", done.stdout, re.M)
        return int(found.group(1)) if found else 0
    return {"samples": count("SAMPLE"), "lost": lost_by_perf(path, count)}


def lost_by_perf(path, count):
    """Events that perf says were lost: the sums inside its LOST records."""
    if count("LOST") + count("LOST_SAMPLES") == 0:
        return 0
    done = subprocess.run(["perf", "script", "-i", path, "--show-lost-events", "-F", "time"],
                          capture_output=True, text=True, check=True)
    return sum(int(n) for n in re.findall(r"PERF_RECORD_LOST\S* lost (\d+)", done.stdout))


def our_stats(path):
    folded = subprocess.run([settings.REPORT, "--folded", path], capture_output=True, text=True)
    if folded.returncode not in (0, 3):
        raise SystemExit(f"bench: rwalker-report: {folded.stderr.strip()}")
    samples = sum(int(line.rsplit(" ", 1)[1]) for line in folded.stdout.splitlines())
    return {"samples": samples, "lost": lost_by_us(path)}


def lost_by_us(path):
    info = subprocess.run([settings.REPORT, "--info", path], capture_output=True, text=True).stdout
    seen = re.findall(r"^ +CPU \d+: \d+ seen = .* \+ (\d+) lost", info, re.M)
    if not seen:
        raise SystemExit("bench: rwalker-report --info does not say what was lost")
    return sum(map(int, seen))


def stats(recorder, path):
    result = perf_stats(path) if recorder.name.startswith("perf") else our_stats(path)
    result["bytes"] = os.path.getsize(path)
    return result
