#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""digest_check.py REPORT NOWHERE TRACE...: recomputes the figures of each trace's digest from what the reporter exports
of single events (--dump, --export perf-script) and, for what is followed from wait to wait, from the view that the
line refers to. NOWHERE is a folder without files: names come from the trace alone. One line "ok" or "not ok" for each
trace."""
import collections
import re
import shlex
import subprocess
import sys

UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
LOST = {"1", "2", "3", "5", "11"}  # causes of events that should be there (format/event.h)
RECORDED = "12"
D, NOLOAD = 2, 0x400
KERNEL_THREAD, HAS_WAKER, HAS_OWNER, BEGAN_BEFORE, NOT_ENDED = 1, 8, 131072, 256, 1024  # flags of tasks and waits (format/)
S, CALLED = 1, {"1", "4"}  # a task's state; contexts of wakers
NUMBER = r"([\d.]+) (ns|us|ms|s)"


class Wrong(Exception):
    pass


def ns(match, first=1):
    return float(match.group(first)) * UNITS[match.group(first + 1)]


def same(what, printed, computed, digits):
    """`digits`: the size of the last place that is printed of the figure."""
    if abs(printed - computed) > digits * 0.51 + 1e-9:
        raise Wrong(f"{what}: the digest has {printed}, the events {computed}")


def share(part, whole):
    return 100 * part / whole if whole else 0


class Events:
    """The waits, sums, objects and losses of a trace, from --dump."""

    def __init__(self, lines):
        self.waits, self.sums, self.losses, self.sources, self.tasks, self.objects = [], {}, {}, {}, {}, {}
        self.samples = collections.Counter()
        self.window, before, tasks = None, {}, []
        for line in lines:
            if line.startswith("chunk "):
                tasks = []
            if not line.startswith("  "):
                continue
            name, *words = shlex.split(line.replace("'", "")) if name_is_known(line) else [""]
            values = dict(word.split("=", 1) for word in words)
            if name == "task":
                tasks.append((values["tid"], values["start"]))
                self.tasks[tasks[-1]] = (bool(int(values["flags"], 16) & KERNEL_THREAD), values["tgid"])
            elif name == "source":
                self.sources[values["id"]] = values
            elif name == "window":
                self.window = int(values["since"]), int(values["until"])
            elif name == "loss":
                key = values["source"], values["cpu"], values["cause"]
                if self.window and int(values["time"]) <= self.window[0]:
                    before[key] = int(values["total"])
                self.losses[key] = int(values["total"]) - before.get(key, 0)
            elif name == "object":
                self.objects[values["number"]] = values
            elif name == "wait":
                for who, flag in ("waker", HAS_WAKER), ("owner", HAS_OWNER):
                    values[who] = tasks[int(values[who]) - 1] if int(values["flags"], 16) & flag else None
                self.waits.append((tasks[int(values["task"]) - 1], values))
            elif name == "wait-sums":
                self.sums.setdefault(tasks[int(values["task"]) - 1], []).append(values)

    def span(self):
        source = next(s for s in self.sources.values() if s["kind"] == "2")
        start, stop = int(source["start"]), int(source["stop"])
        if self.window: # a dump
            start, stop = max(start, self.window[0]), self.window[1] if stop <= start else stop
        return start, stop


def name_is_known(line):
    return line.split(None, 1)[0] in ("task", "source", "loss", "object", "wait", "wait-sums", "window")


def times_of(events):
    """How all threads but those of the kernel that did nothing spent their time, in ns."""
    left_out = did_nothing(events)
    start, stop = events.span()
    total, walls = collections.Counter(), collections.Counter()
    told = collections.Counter()
    for thread, wait in events.waits:
        if thread in left_out:
            continue
        end, state = int(wait["time"]), int(wait["state"], 16)
        weight = max(0, min(end, stop) - max(end - int(wait["length"]), start))
        queued = min(int(wait["run_queue"]), weight)
        told[thread] += weight
        total["run queue"] += queued
        total["blocked"] += weight - queued
        if state & D and not state & NOLOAD:
            total["D"] += weight - queued
    for thread, rows in events.sums.items():
        if thread in left_out:
            continue
        first = min(int(row["time"]) - int(row["span"]) for row in rows)
        walls[thread] = max(int(row["time"]) for row in rows) - max(first, start)
        ran = sum(int(row["running"]) for row in rows)
        brief = sum(int(value) for row in rows for name, value in row.items() if name.endswith("_total"))
        total["running"] += min(ran, max(0, walls[thread] - told[thread] - brief)) # what is more, ran before the recording
        for row in rows:
            for kind in ("interruptible", "uninterruptible", "other_blocked", "preempted", "yielded", "cancelled",
                         "started"):
                queued = int(row[kind + "_run_queue"])
                total["run queue"] += queued
                total["blocked"] += int(row[kind + "_total"]) - queued
                total["D"] += int(row[kind + "_total"]) - queued if kind == "uninterruptible" else 0
    total["wall"] = sum(walls.values()) + sum(told[thread] for thread in told if thread not in walls)
    total["threads"] = len((set(told) | set(events.sums)) - left_out)
    return total


def is_whole(events, wait):
    began = int(wait["time"]) - int(wait["length"]) < events.span()[0]
    return began and int(wait["flags"], 16) & NOT_ENDED and wait["wait_class"] == "0" and wait["run_queue"] == "0"


def waited_throughout(events):
    """The threads of programs that slept in S all the time."""
    return {thread for thread, wait in events.waits if is_whole(events, wait) and int(wait["state"], 16) & S and
            not events.tasks[thread][0]}


def did_nothing(events):
    """Threads of the kernel that woke no program, were never in D, and hardly ran."""
    busy, span = collections.Counter(), collections.Counter()
    kernel = {thread for thread, _ in events.waits if events.tasks[thread][0] and thread[0] != "0"}
    for thread, wait in events.waits:
        state = int(wait["state"], 16)
        busy[thread] += int(wait["run_queue"])
        if state & D and not state & NOLOAD or not is_whole(events, wait) and thread not in events.sums:
            kernel.discard(thread)
        if not events.tasks[thread][0] and wait["context"] in CALLED:
            kernel.discard(wait["waker"])
    for thread, rows in events.sums.items():
        for row in rows:
            span[thread] += int(row["span"])
            busy[thread] += int(row["running"]) + int(row["uninterruptible_total"])
            busy[thread] += sum(int(row[name]) for name in row if name.endswith("_run_queue") and
                                not name.startswith("uninterruptible"))
    return {thread for thread in kernel if busy[thread] <= span[thread] / 100}


def check_apart(digest, events, tree):
    """What is set apart: in the digest, and below a view."""
    asleep, kernel = len(waited_throughout(events)), len(did_nothing(events))
    line = re.search(r"^waited +all the time, (\d+) threads?: (.*)  \[", digest, re.M)
    same("threads that waited all the time", int(line.group(1)) if line else 0, asleep, 0)
    groups = re.findall(r"(?:^|, (?:and )?)(\d+) (?=[^,]* in |others? at )", line.group(2)) if line else []
    same("those of the groups", sum(map(int, groups)), asleep, 0)
    line = re.search(r"; without (\d+) kernel threads? that did nothing  \[", digest)
    same("kernel threads that did nothing", int(line.group(1)) if line else 0, kernel, 0)
    shown = len({thread for thread, _ in events.waits}) == asleep + kernel  # not set apart if there are no others
    line = re.search(r"^# (\d+) kernel threads? that did nothing", tree, re.M)
    same("kernel threads below --tree", int(line.group(1)) if line else 0, 0 if shown else kernel, 0)
    line = re.search(r"^# waited all the time: ", tree, re.M)
    same("a line below --tree", bool(line), bool(asleep and not shown), 0)


def check_times(digest, events):
    line = re.search(rf"^time +(\d+) threads?, {NUMBER}: (.*?)(?:; without .*)?  \[--summary(?: --throughout)?\]$", digest, re.M)
    if not line:
        raise Wrong("no line of the threads' time")
    total = times_of(events)
    parts = {name: (float(percent), float(figure) * UNITS[unit], UNITS[unit]) for name, percent, figure, unit in
             re.findall(r"([a-z][a-z ]*[a-z]) ([\d.]+)% \(([\d.]+) (ns|us|ms|s)\)", line.group(4))}
    same("threads", int(line.group(1)), total["threads"], 0)
    same("wall", ns(line, 2), total["wall"], UNITS[line.group(3)] / 1e3)
    for name, (percent, figure, unit) in parts.items():
        same(name, figure, total[name], 2 * unit / 1e3)
        same(name + " %", percent, share(total[name], total["wall"]), 0.02)
    line = re.search(r"waited for ([\d.]+)% of their time", digest)
    same("a line of runnable threads", bool(line), "running" in parts, 0)
    if line:
        same("run queue of runnable", float(line.group(1)),
             share(total["run queue"], total["run queue"] + total["running"]), 0.01)
    line = re.search(rf"^ +D: {NUMBER} in", digest, re.M)
    same("D", ns(line) if line else 0, total["D"], UNITS[line.group(2)] / 1e3 if line else 1)


def check_losses(digest, events):
    lost = sum(n for (_, _, cause), n in events.losses.items() if cause in LOST)
    line = re.search(r"lost: (\d+) of (\d+) events \(([\d.]+)%\)", digest)
    recorded = sum(n for (_, _, cause), n in events.losses.items() if cause == RECORDED)
    same("lost", int(line.group(1)) if line else 0, lost, 0)
    if line:
        same("events", int(line.group(2)), lost + recorded, 0)


def check_samples(digest, script):
    """Functions, processes and comms of CPU samples; all samples have one weight in these traces."""
    leaves, pids, comms = collections.Counter(), collections.Counter(), collections.Counter()
    weight = {}
    for event in script.split("\n\n"):
        head, *frames = event.strip("\n").split("\n")
        found = re.match(r"(.*?) +(\d+)/(\d+) +\[\d+\] +[\d.]+: +(\d+) cpu-clock:", head)
        if not found:
            continue
        comms[found.group(1)] += 1
        pids[found.group(2)] += 1
        weight["one"] = int(found.group(4))
        leaf = re.match(r"\s*[0-9a-f]+ (.*?)(\+0x[0-9a-f]+)? \(", frames[0]) if frames else None
        leaves[leaf.group(1) if leaf else "[no call chain]"] += 1
    total = sum(comms.values())
    for label, counts, pattern in (("functions", leaves, r"([\d.]+)% ([^ ,]+)(?:, |  )"),
                                   ("processes", pids, r"([\d.]+)% [^,]*? (\d+) \(([\d.]+) ms\)"),
                                   ("comms", comms, r"([\d.]+)% ([^,]+?) \(([\d.]+) ms\)")):
        line = re.search(rf"^{label} +(.*)$", digest, re.M).group(1)
        for percent, name, *figure in re.findall(pattern, line):
            if "[" in name or "<" in name:  # without a name, or shortened in one of the two
                continue
            same(f"{label} {name}", float(percent), share(counts[name], total), 0.01)
            if figure:
                same(f"{label} {name}", float(figure[0]), counts[name] * weight["one"] / 1e6, 0.1)


def check_stories(digest, run, events):
    """Each story is a target of the view that its line refers to, and its worst wait is in the dump."""
    start, _ = events.span()
    told = re.findall(rf"^story \d +(.*?): {NUMBER} in (\d+) waits?  \[(--chains=.*)\]\n"
                      rf" +(?:held by|waits for|its other end was used by) (.*?): {NUMBER} \(([\d.]+)%\)(?:; in the end, on all ways: (.*): {NUMBER} \([\d.]+%\))?\n"
                      rf" +worst: tid (\d+) pid \d+ for [≥≤~]?{NUMBER} from ([+-])([\d.]+) s.*\[(--at .*)\]$", digest,
                      re.M)
    if len(told) != len(re.findall(r"^story", digest, re.M)):
        raise Wrong("a story is not understood")
    for (who, size, unit, count, proof, way, way_size, way_unit, percent, end, end_size, end_unit, tid, worst, worst_unit, sign, at,
         moment) in told:
        chains = run(*shlex.split(proof), "--min-percent", "0")
        target = re.search(rf"^>>> [\d.]+%  {re.escape(who)}(?:, .*)?  \(([\d.]+)ms, {count} waits?\)\n((?:    .*\n)*)", chains,
                           re.M)
        if not target:
            raise Wrong(f"{proof} does not have '{who}'")
        length, explained = float(size) * UNITS[unit], float(way_size) * UNITS[way_unit]
        same(who, float(target.group(1)) * 1e6, length, 1e5 + UNITS[unit] / 1e3)
        if end and not explained < float(end_size) * UNITS[end_unit] <= length + UNITS[unit] / 1e3:
            raise Wrong(f"'{end}' is in the end of {end_size} {end_unit} of {size} {unit}")
        for words in re.findall(r"(?:blocked|running|waiting) .*", end.split(" <- ")[0]):
            if words not in target.group(2):
                raise Wrong(f"{proof} has nobody who was in the end '{words}'")
        close = 1e5 + UNITS[way_unit] / 1e3
        if not any(abs(float(ms) * 1e6 - explained) <= close for ms in re.findall(r"\(([\d.]+)ms\)", target.group(2))):
            raise Wrong(f"{proof} has no way of {explained / 1e6:.1f} ms below '{who}'")
        for comm, place in re.findall(r"(\S+) blocked in (\S+)", way):
            if not re.search(rf"(?:woken by|waits for|held by|its other end was used by) {re.escape(comm)}\b.*, which was blocked in {re.escape(place)}", target.group(2)):
                raise Wrong(f"{proof} does not have '{comm}' in '{place}' below '{who}'")
        rounded = share(UNITS[way_unit] / 1e3, length) + share(explained, length) * UNITS[unit] / 1e3 / length
        same("way", float(percent), share(explained, length), 0.02 + rounded)  # both figures are printed in thousandths
        out = start + (1 if sign == "+" else -1) * float(at) * 1e9
        if not any(thread[0] == tid and abs(int(wait["time"]) - int(wait["length"]) - out) < 1100 and
                   abs(int(wait["length"]) - float(worst) * UNITS[worst_unit]) <= UNITS[worst_unit] / 1e3
                   for thread, wait in events.waits):
            raise Wrong(f"no wait of thread {tid} of {worst} {worst_unit} from {sign}{at} s")
        if f"tid {tid} " not in run(*shlex.split(moment)):
            raise Wrong(f"{moment} does not have thread {tid}")


def check(report, nowhere, trace):
    def run(*options):
        return subprocess.run([report, "--no-cache", "--symfs", nowhere, "--debug-dir", nowhere, *options, trace],
                              capture_output=True, text=True, check=False).stdout

    digest, events = run("--digest"), Events(run("--dump").split("\n"))
    kinds = {source["kind"] for source in events.sources.values()}
    if not digest.startswith("# digest") or digest.count("\n") > 25:
        raise Wrong("it is not a digest of at most 25 lines")
    check_losses(digest, events)
    if events.waits:
        check_times(digest, events)
        check_apart(digest, events, run("--tree"))
        check_stories(digest, run, events)
    if "1" in kinds:
        check_samples(digest, run("--export", "perf-script", "--source", "cpu", "-q"))


def main():
    report, nowhere, *traces = sys.argv[1:]
    failed = False
    for trace in traces:
        try:
            check(report, nowhere, trace)
            print(f"ok digest {trace}")
        except Wrong as wrong:
            failed = True
            print(f"not ok digest {trace} - {wrong}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
