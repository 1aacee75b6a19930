# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""fleet_check.py FOLDER: compares the answers to the queries of contrib/sql, in FOLDER/QUERY, with sums over
FOLDER/TRACE.sqlite, and with what is known about the samples."""
import collections
import os
import sqlite3
import sys

folder = sys.argv[1]
base = sqlite3.connect(f"{folder}/fleet")
base.row_factory = sqlite3.Row
recordings = {row["file"]: row for row in base.execute("SELECT * FROM recordings")}


def answers(query):
    return [line.split("|") for line in open(f"{folder}/{query}", encoding="utf-8").read().splitlines()]


def rows(name, query):
    return sqlite3.connect(os.path.join(folder, name + ".sqlite")).execute(query).fetchall()


def verdict(name, bad):
    print(f"not ok {name} - {bad}" if bad else f"ok {name}")


def near(text, number):
    return abs(float(text) - number) <= 0.00051


def hosts():
    got = {row[0]: row[4:6] for row in answers("hosts")}
    for name, recording in recordings.items():
        weights = dict(rows(name, "SELECT kind, weight FROM sources"))
        for figure, kind in zip(got[name], ("cpu", "offcpu")):
            wanted = weights.get(kind, 0) / 1e9 / float(recording["seconds"])
            if not near(figure, wanted):
                return f"{name}: {kind} {figure}, not {wanted}"
    return ""


def kernels():
    sums, seconds = collections.defaultdict(collections.Counter), collections.Counter()
    for name, recording in recordings.items():
        seconds[recording["kernel"]] += float(recording["seconds"])
        for leaf, weight in rows(name, "SELECT f.name, sum(u.weight) FROM sums u JOIN stacks s ON s.id = u.stack JOIN functions f"
                                 " ON f.id = s.function JOIN sources c ON c.id = u.source WHERE c.kind = 'offcpu' GROUP BY 1"):
            sums[recording["kernel"]][leaf] += weight
    got = answers("kernels")
    if {row[0] for row in got} != set(sums):
        return f"of {len({row[0] for row in got})} kernels"
    for kernel, _, leaf, ms, _ in got:
        if not near(ms, sums[kernel][leaf] / 1e6 / seconds[kernel]):
            return f"{kernel}: {leaf} {ms}, not {sums[kernel][leaf] / 1e6 / seconds[kernel]}"
    return ""


def functions():
    sums, of = collections.Counter(), collections.defaultdict(set)
    for name in recordings:
        for function, total in rows(name, "SELECT function, sum(total) FROM function_list WHERE kind = 'cpu' GROUP BY 1"):
            sums[function] += total
            of[function].add(name)
    wanted = {function: (weight / 1e6, len(of[function])) for function, weight in sums.most_common(5)}
    got = {row[0]: row[1:] for row in answers("functions")}
    for function, (ms, number) in wanted.items():
        if not (function in got and near(got[function][0], ms) and int(got[function][1]) == number):
            return f"{function}: {got.get(function)}, not {ms} on {number}"
    return ""


def outlier():
    """crunch burns CPU time in one sample and is in no other."""
    found = [row for row in answers("outlier") if row[:3] == ["cpu_paths", "cpu", "crunch"]]
    return "" if found and float(found[0][3]) > 90 and float(found[0][4]) == 0 else f"{found}"


def worse():
    days = sorted({recording["day"] for recording in recordings.values()})[-2:]
    seconds, ms = collections.Counter(), collections.Counter()
    for name, recording in recordings.items():
        seconds[recording["day"]] += float(recording["seconds"])
        for kind, table in ("cpu", "samples"), ("offcpu", "waits"):
            for comm, leaf, weight in rows(name, f"SELECT comm, f.name, sum(x.weight) FROM {table} x JOIN tasks t ON t.id = x.task"
                                           " JOIN stacks s ON s.id = x.stack JOIN functions f ON f.id = s.function GROUP BY 1, 2"):
                ms[recording["day"], kind, comm, leaf] += weight / 1e6
    got = answers("worse")
    for kind, comm, leaf, before, now in got:
        wanted = [ms[day, kind, comm, leaf] / seconds[day] for day in days]
        if not (near(before, wanted[0]) and near(now, wanted[1]) and wanted[1] > wanted[0]):
            return f"{comm} {leaf}: {before}, {now}, not {wanted}"
    return "" if len(got) == 20 else f"{len(got)} rows"


def longest():
    found = [float(row[4]) for row in answers("longest")]
    wanted = [ms for name in recordings for ms, in rows(name, "SELECT (stop - start) / 1e6 FROM waits WHERE state LIKE 'D%'")]
    wanted = sorted(wanted, reverse=True)[:20]
    return "" if len(found) == 20 and all(map(near, found, wanted)) else f"{found[:3]}, not {wanted[:3]}"


for check in (hosts, kernels, functions, outlier, worse, longest):
    verdict(f"known_{check.__name__}", check())
