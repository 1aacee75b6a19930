#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""kernels.py [KERNEL...]: the overhead that recording waits adds to system calls that never wait, on other kernels (6.1-cloud and
6.12-cloud), in QEMU with one emulated CPU that counts time as instructions, one per nanosecond. So this compares instructions, to
one part in ten thousand, and ignores caches. Prints a table; exit 1 if a target is missed or nothing could be measured."""

import re
import subprocess
import sys

import settings
import stats
from markdown import Table, verdict

TESTS = settings.ROOT / "tests/vm"
RECORD = settings.BUILD / "static/rwalker-record"
LIMIT = 1.02
LABELS = {"default": "--offcpu 0", "user": "--offcpu 0 -u", "wakers": "--offcpu 0 --wakers -u", "every": "--offcpu 0 -m 0"}
BLIND = 1.1     # a program at each call adds more


def measured(kernel):
    """{name: CPU ns of each round} of one boot."""
    out = settings.OUT / f"kernel-{kernel}"
    for command in ([TESTS / "fetch.sh", kernel],
                    [TESTS / "vm.sh", "-i", "-c", "1", "-t", "900", kernel, TESTS / "guest/cost.sh", out, RECORD]):
        done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, check=False)
        if done.returncode:
            raise SystemExit(f"kernels: '{command[0].name} {kernel}' exited {done.returncode}; see '{out}'")
    results = {}
    for number, name, spent in re.findall(r"^(\d+) (\w+) (\d+)$", (out / "cost").read_text(encoding="ascii"), re.M):
        results.setdefault(name, {})[int(number)] = int(spent)
    return (out / "release").read_text(encoding="ascii").strip(), {
        name: [spent[number] for number in sorted(spent)] for name, spent in results.items()}


def rows(table, kernel):
    """Adds the kernel's row; returns whether all targets are met."""
    release, results = measured(kernel)
    hooked = stats.median(stats.ratios(results["hooked"], results["alone"]))
    if hooked < BLIND:
        raise SystemExit(f"kernels: on {release} a program at each system call costs {hooked:.4f}: this does not see costs")
    good = True
    for name, label in LABELS.items():
        ratio = stats.estimate(stats.ratios(results[name], results["alone"]))
        met = ratio.median <= LIMIT
        table.row(release, label, ratio.text(4), f"<= {LIMIT}", verdict(met, f"{ratio.median:.4f}"))
        good = good and met
    table.row(release, "a program at each call", f"{hooked:.2f}", "", "")
    return good


def main():
    table = Table("kernel", "recorder", "instructions of the loop, with / without", "target", "met")
    settings.OUT.mkdir(parents=True, exist_ok=True)
    good = [rows(table, kernel) for kernel in sys.argv[1:] or ("6.1-cloud", "6.12-cloud")]
    print("\n".join(table.lines()))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
