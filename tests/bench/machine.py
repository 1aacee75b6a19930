# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The machine and the programs that were measured."""

import os
import pathlib
import platform
import subprocess
import time

import settings


def first_line(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=settings.ROOT)
    return (done.stdout or done.stderr).strip().splitlines()[0] if done.stdout or done.stderr else "?"


def cpu_model():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def memory_gib():
    for line in pathlib.Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemTotal"):
            return int(line.split()[1]) / 1048576
    return 0.0


def rows():
    """(what, value) for the head of BENCH.md."""
    return [
        ("kernel", platform.release()),
        ("CPU", f"{cpu_model()}, {os.cpu_count()} online"),
        ("memory", f"{memory_gib():.0f} GiB"),
        ("virtual", first_line("systemd-detect-virt")),
        ("clock", pathlib.Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
         .read_text().strip()),
        ("rwalker-record", first_line(settings.RECORD, "--version")),
        ("rwalker-report", first_line(settings.REPORT, "--version")),
        ("perf", first_line("perf", "--version")),
    ]


def state():
    """What figures depend on and what may differ between sections of a page."""
    commit = first_line("git", "describe", "--always", "--dirty")
    return f"commit {commit}, Linux {platform.release()}, {cpu_model()}, {os.cpu_count()} CPUs online, load {os.getloadavg()[0]:.2f} before"


def span(begun, ended):
    """Both times and the date, of local time."""
    return time.strftime("at %H:%M-", begun) + time.strftime("%H:%M on %Y-%m-%d", ended)
