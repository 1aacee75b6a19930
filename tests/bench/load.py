# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The work that is recorded: the fixed amount, and the endless one."""

import contextlib
import os
import signal
import subprocess

import settings

PROGRAM = str(settings.WORKLOADS / "fixed_work")


def run(name, units):
    """Runs it to completion; returns {"cpu_ns": ..., "wall_ns": ...} as it measured itself."""
    done = subprocess.run([PROGRAM, name, str(units)], stdout=subprocess.PIPE, text=True, check=True)
    return {key: int(value) for key, value in (line.split() for line in done.stdout.splitlines())}


def calibrate(name, seconds):
    """How many units take about that many seconds."""
    units = 20
    while True:
        wall = run(name, units)["wall_ns"] / 1e9
        if wall > seconds / 4:
            return max(1, round(units * seconds / wall))
        units *= 4


@contextlib.contextmanager
def endless(name):
    """Endless work of the same kind while the body runs."""
    with subprocess.Popen([PROGRAM, name, "0"], start_new_session=True) as process:
        try:
            yield process
        finally:
            os.killpg(process.pid, signal.SIGKILL)
