#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""diff_check.py DIFF KIND BEFORE AFTER: compares the text of --diff (with --min-percent 0) for one source with figures
made from the text of --export perf-script of both traces. BEFORE and AFTER are SCRIPT,START,STOP of the source, in ns.

A rate is the weight per second of the recording. The noise of a line is the larger of the differences between the
halves of a recording, or what counting so few events gives by chance, if that is more. Times of the script are whole
microseconds, and figures have two places.
"""
import collections
import math
import re
import sys

from functions_check import read_script

ROW = re.compile(r" +([\d.]+) +([\d.]+) +([+-][\d.]+) +([\d.]+)  (.*)")
UNITS = {"us": 1e3, "ms": 1e6, "s": 1e9, "samples": 1, "events": 1}
CHANCE = {"cpu": 3, "tracepoint": 3, "kfunc": 3, "offcpu": 2}


class Sums:
    """For each thing that is compared: the weight of each half, and the number of samples."""

    def __init__(self, kind, timed, source):
        path, start, stop = source.rsplit(",", 2)
        self.kind, self.timed, self.length = kind, timed, (int(stop) - int(start)) / 1e9
        self.middle = int(start) + (int(stop) - int(start)) // 2
        self.tables = {name: collections.defaultdict(lambda: [0, 0, 0]) for name in ("self", "total", "stack", "all")}
        for heading, frames in read_script(path):
            if heading["event"] != "wakeup:":
                self.add(heading["comm"], round(float(heading["time"]) * 1e9), int(heading["period"]), [name for name, _ in frames])

    def add(self, comm, time, period, names):
        weight = period if self.timed else 1
        late = weight if time >= self.middle else 0
        if self.kind == "offcpu":
            late = max(0, min(weight, time - self.middle))
        keys = [("self", names[0]), ("stack", comm + ": " + " < ".join(names)), ("all", "")]
        keys += [("total", name) for name in set(names)]
        for table, key in keys:
            sums = self.tables[table][key]
            sums[0] += weight - late
            sums[1] += late
            sums[2] += 1

    def rates(self, table, key):
        """Rate, difference between the halves, and the rate's deviation by chance."""
        early, late, count = self.tables[table].get(key, (0, 0, 0))
        rate = (early + late) / self.length
        return rate, abs(early - late) / (self.length / 2), rate / math.sqrt(max(count, 1))


def expected(kind, sides, table, key):
    before, after = (side.rates(table, key) for side in sides)
    noise = max(before[1], after[1], CHANCE[kind] * math.hypot(before[2], after[2]))
    return before[0], after[0], after[0] - before[0], noise


def read_diff(path, kind):
    """{table: (unit, rows, number within the noise)} of the source."""
    tables, table, wanted = {}, None, False
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        row, title = ROW.fullmatch(line), re.fullmatch(r"# (.*), (\S+) per second(: no change)?", line)
        if re.match(r"# (cpu|offcpu|tracepoint|kfunc)\b.*: \d+ ", line):
            wanted = line.split()[1].rstrip(":") == kind
            table = None
        elif title and wanted:
            name = re.search(r"self|total|stack|held", title[1])[0]
            table = tables[name] = {"unit": UNITS[title[2]], "rows": [], "within": 0}
        elif row and table is not None:
            table["rows"].append(([float(text) for text in row.groups()[:4]], row[5]))
        elif row and wanted:
            tables["all"] = {"unit": UNITS[row[5]], "rows": [([float(text) for text in row.groups()[:4]], "")], "within": 0}
        elif table is not None and re.match(r"# .* that did not change by more than their noise: \d+", line):
            table["within"] = int(line.rsplit(" ", 1)[1])
    return tables


def check_table(kind, sides, name, table):
    tolerance = {"us": 0, 1: 0.011}.get(table["unit"], 0.011) + (8e3 if sides[0].timed else 0) / table["unit"]
    keys = set(sides[0].tables[name]) | set(sides[1].tables[name])
    wrong, last = [], math.inf
    for figures, key in table["rows"]:
        want = [rate / table["unit"] for rate in expected(kind, sides, name, key)]
        if key not in keys:
            wrong.append(f"{name} {key}: not in the samples")
        for label, got, right in zip(("before", "after", "change", "noise"), figures, want):
            if abs(got - right) > tolerance + abs(right) * 1e-5:
                wrong.append(f"{name} {key}: {label} {got}, and {right:.3f} by the samples")
        above = abs(figures[2]) - figures[3]
        if above > last + 0.03:
            wrong.append(f"{name} {key}: is further above its noise than the line before")
        last = above
    shown = {key for _, key in table["rows"]}
    for key in keys - shown:
        _, _, change, noise = (rate / table["unit"] for rate in expected(kind, sides, name, key))
        if abs(change) > noise + 2 * tolerance + noise * 1e-5:
            wrong.append(f"{name} {key}: changed by {change:.3f}, more than its noise of {noise:.3f}, and is not shown")
    if name != "all" and len(keys - shown) != table["within"]:
        wrong.append(f"{name}: {table['within']} are counted within their noise, not {len(keys - shown)}")
    return wrong


def main():
    diff, kind, before, after = sys.argv[1:5]
    tables = read_diff(diff, kind)
    timed = "all" in tables and tables["all"]["unit"] > 1
    sides = [Sums(kind, timed, source) for source in (before, after)]
    wrong = [] if tables and "self" in tables else ["there is nothing to compare"]
    for name, table in tables.items():
        if name != "held":
            wrong += check_table(kind, sides, name, table)
    for line in wrong[:5]:
        print(line)
    if not wrong:
        rows = ", ".join(f"{len(table['rows'])} of {len(table['rows']) + table['within']} in {name}"
                         for name, table in tables.items() if name not in ("all", "held"))
        print(rows)
    sys.exit(bool(wrong))


main()
