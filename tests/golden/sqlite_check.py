#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""sqlite_check.py REPORT TRACE DATABASE [OPTION...]: the database that --export sqlite wrote for the trace with these
options is sound, has the events that --export perf-script prints, each with its chain, to the nanosecond, and its
views have their sums."""
import collections
import os
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import events_text

TABLES = {"about", "hosts", "recordings", "sources", "probes", "tasks", "modules", "functions", "frames", "stacks", "sums",
          "samples", "waits", "objects", "wakes", "brief_waits", "running", "walks", "walked"}
VIEWS = {"sample_list", "wait_list", "function_list", "stack_list", "thread_list"}


def check_schema(base):
    assert base.execute("PRAGMA integrity_check").fetchall() == [("ok",)], "sqlite finds faults"
    assert base.execute("PRAGMA user_version").fetchone() == (1,), "the number of the schema"
    wrong = base.execute("PRAGMA foreign_key_check").fetchall()
    assert not wrong, f"{len(wrong)} rows refer to nothing, as {wrong[0]}"
    for kind, wanted in ("table", TABLES), ("view", VIEWS):
        found = {name for name, in base.execute("SELECT name FROM sqlite_master WHERE type = ?", (kind,))}
        assert found == wanted, found ^ wanted


def read_chains(base):
    """{stack: names, leaf first}; every stack is in the ranges of exactly those stacks that it begins with."""
    chains, lasts = {0: ()}, []
    for number, parent, last, depth, name, outermost in base.execute(
            "SELECT s.id, parent, last, depth, name, outermost FROM stacks s LEFT JOIN functions f ON f.id = function"
            " WHERE s.id > 0 ORDER BY s.id"):
        while lasts and lasts[-1][1] < number:
            lasts.pop()
        assert parent == (lasts[-1][0] if lasts else 0), f"stack {number} is not in preorder"
        assert not lasts or last <= lasts[-1][1], f"stack {number} ends behind its caller"
        lasts.append((number, last))
        chains[number] = (name, *chains[parent])
        assert depth == len(chains[number]) == len(lasts), f"the depth of stack {number}"
        # two functions with the same name in two modules are both outermost
        assert outermost or name in chains[parent], f"stack {number} is outermost"
    return chains


def read_events(base, chains):
    found = collections.Counter()
    for comm, pid, tid, stack, time, cpu, weight, kind in base.execute(
            "SELECT comm, pid, tid, stack, time, cpu, x.weight, kind FROM samples x JOIN tasks t ON t.id = task"
            " JOIN sources c ON c.id = source"):
        kind = "kfunc" if kind == "kfunc" else "sample"
        found[kind, comm, pid, tid, cpu, time // 1000, weight, chains[stack]] += 1
    for comm, pid, tid, stack, time, cpu, weight in base.execute(
            "SELECT comm, pid, tid, stack, stop, in_cpu, weight FROM waits JOIN tasks t ON t.id = task"):
        found["offcpu", comm, pid, tid, cpu, time // 1000, weight, chains[stack]] += 1
    for comm, pid, tid, stack, time, context, weight in base.execute(
            "SELECT comm, pid, tid, stack, time, context, weight FROM wakes JOIN tasks t ON t.id = task"):
        found["wakers", comm, pid, tid, None, time // 1000, weight, chains[stack] if context == "task" else ()] += 1
    return found


def printed(events, contexts):
    """Only a part of the chain is printed for a wakeup by an interrupt; the database says which wakeups these are."""
    found = collections.Counter()
    for event in events:
        key = (event.comm, event.pid, event.tid, event.micros)
        chain = tuple(event.frames)
        if event.kind == "wakers" and contexts.get(key) != "task":
            chain = ()
        found[event.kind, event.comm, event.pid, event.tid, event.cpu, event.micros, event.weight, chain] += 1
    return found


def check_events(base, chains, events):
    contexts = {(comm, pid, tid, time // 1000): context for comm, pid, tid, time, context in base.execute(
        "SELECT comm, pid, tid, time, context FROM wakes JOIN tasks t ON t.id = task")}
    got, wanted = read_events(base, chains), printed(events, contexts)
    wrong = list((got - wanted) + (wanted - got))
    assert not wrong, f"{len(wrong)} of {len(wanted)} events, as {wrong[0]}: {got[wrong[0]]}, not {wanted[wrong[0]]}"
    return sum(wanted.values())


def check_functions(base, events):
    """Self, total and number of each name, for all CPU samples and waits."""
    wanted = collections.defaultdict(lambda: [0, 0])
    for event in events:
        if event.kind in ("sample", "offcpu"):
            for name in set(event.frames):
                wanted[event.kind, name][1] += event.weight
            if event.frames:
                wanted[event.kind, event.frames[0]][0] += event.weight
    several = {name for name, in base.execute("SELECT name FROM functions GROUP BY name HAVING count(*) > 1")}
    for kind, name, own, total in base.execute(
            "SELECT CASE kind WHEN 'offcpu' THEN kind ELSE 'sample' END AS k, function, sum(self), sum(total)"
            " FROM function_list WHERE kind IN ('cpu', 'offcpu', 'tracepoint') GROUP BY k, function"):
        got = wanted.pop((kind, name))
        assert own == got[0] and (total == got[1] or name in several), f"function {name}: {own}, {total}, not {got}"
    assert not wanted, f"functions are missing, as {list(wanted)[0]}"


def check_sums(base):
    wrong = base.execute(
        "SELECT c.kind, c.samples, c.weight, sum(s.samples), sum(s.weight) FROM sources c JOIN sums s ON s.source = c.id"
        " GROUP BY c.id HAVING c.samples <> sum(s.samples) OR c.weight <> sum(s.weight)").fetchall()
    assert not wrong, f"the sums of a source: {wrong}"


def number(word):
    """A figure; None if unknown."""
    return None if word == "-" else float(word)


def check_threads(base, report, trace):
    """Compares with --summary, which rounds to the microsecond."""
    text = subprocess.run([report, "--no-local-files", "--no-cache", "--summary", "--throughout", trace],
                          capture_output=True, text=True).stdout
    rows = [line.split() for line in text.splitlines() if line and line[0] != "#" and " tid " in line]
    wanted = {(int(row[row.index("tid") + 1])): [*(number(word) for word in row[:7]), int(row[9])] for row in rows}
    got = {row[0]: row[1:] for row in base.execute(
        "SELECT tid, wall_ms, running_ms, run_queue_ms, throttled_ms, blocked_s_ms, blocked_d_ms, other_ms, waits FROM thread_list")}
    for tid, figures in wanted.items():
        assert tid in got and all(
            b is None or abs(a - b) < 0.0006 for a, b in zip(got[tid], figures)), \
            f"thread {tid}: {got.get(tid)}, not {figures}"
    return len(wanted)


def main():
    report, trace, path, options = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    base = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    check_schema(base)
    events = events_text.read(report, options, trace)
    count = check_events(base, read_chains(base), events)
    check_sums(base)
    check_functions(base, events)
    if not options:
        check_threads(base, report, trace)
    print(count)


try:
    main()
except AssertionError as error:
    sys.exit(f"sqlite_check.py: {error}")
