# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What can be set from the environment, and where things are."""

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", ROOT / "build")).resolve()
WORKLOADS = BUILD / "tests/live/workloads"
OUT = BUILD / "bench"
# Where the traces go: to memory if possible, so that the disk is not measured.
TRACES = pathlib.Path(os.environ.get("BENCH_DIR") or
                      ("/dev/shm/rwalker-bench" if os.access("/dev/shm", os.W_OK) else OUT))
RECORD = os.environ.get("BENCH_RECORD", str(BUILD / "rwalker-record"))
REPORT = os.environ.get("BENCH_REPORT", str(BUILD / "rwalker-report"))
QUICK = os.environ.get("BENCH_QUICK", "") not in ("", "0")


def setting(name, usual, quick, kind=int):
    """BENCH_<name> from the environment, else the usual value, else the quick one."""
    text = os.environ.get("BENCH_" + name)
    return kind(text) if text else (quick if QUICK else usual)


def words(text):
    return text.replace(",", " ").split()


PAIRS = setting("PAIRS", 15, 2)                        # rounds of every A/B comparison
WORK_SECONDS = setting("WORK_SECONDS", 3.0, 1.0, float)  # one run of the fixed work
FREQS = setting("FREQS", [999, 4000], [999], lambda t: [int(f) for f in words(t)])
LOADS = setting("LOADS", ["cpu", "fork", "mixed"], ["cpu", "mixed"], words)
LONG_PAIRS = setting("LONG_PAIRS", 15, 1)              # rounds of the steady-state runs
LONG_SECONDS = setting("LONG_SECONDS", 60, 6)
LONG_LOADS = setting("LONG_LOADS", ["mixed"], ["mixed"], words)
LONG_FREQS = setting("LONG_FREQS", FREQS, [999], lambda t: [int(f) for f in words(t)])
SAMPLES = setting("SAMPLES", 1000000, 30000)           # the trace that is reported
REPORT_PAIRS = setting("REPORT_PAIRS", 15, 2)
THREADS = setting("THREADS", 5000, 1000)
SECTIONS = setting("SECTIONS", [], [], words)          # of the page that are measured; none: all
