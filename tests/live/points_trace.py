# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Reads the input of the tests of tracepoints and kernel functions; only this module knows its formats: the truth that
workloads/calls.c prints, the records of `rwalker-report --dump`, folded stacks, and other counters' output. Times are
CLOCK_MONOTONIC ns."""
import collections
import re
import subprocess

from waits_trace import dumped, pairs

TRACEPOINT, KFUNC = 4, 5
HOOKS = {1: "raw tracepoint", 2: "tracepoint", 3: "fentry", 4: "kprobe", 5: "kprobe.multi"}
RING_FULL, NO_ENTRY, RECURSION, NESTED, OWN, FILTERED, IDLE, RECORDED, SEEN, RATE_LIMITED = 1, 2, 3, 5, 8, 9, 10, 13, 14, 23
LOST = RING_FULL, NO_ENTRY, NESTED      # losses of events that were seen; RECURSION is not one
LEFT_OUT = OWN, FILTERED, IDLE, RATE_LIMITED
NO_TASK = ("", 0, 0, False)

# --- the truth -----------------------------------------------------------------------------------------------------------

Path = collections.namedtuple("Path", "comm tid tgid cpu call functions count run wall")
Truth = collections.namedtuple("Truth", "paths calls")


def read_truth(path):
    """Paths with their counts; (begin, end) of the calls that were reported individually."""
    truth = Truth([], [])
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            word, _, rest = line.partition(" ")
            f = pairs(rest)
            if word == "path":
                truth.paths.append(Path(f["comm"], int(f["tid"]), int(f["tgid"]), int(f["cpu"]), f["call"],
                                        tuple(f["stack"].split(";")), int(f["count"]), int(f["run"]), int(f["wall"])))
            elif word == "call":
                truth.calls.append((int(f["begin"]), int(f["end"])))
    return truth


# --- the trace -----------------------------------------------------------------------------------------------------------

Task = collections.namedtuple("Task", "comm tid tgid kernel")
Source = collections.namedtuple("Source", "kind name start stop")
Probe = collections.namedtuple("Probe", "source hook name")
Hits = collections.namedtuple("Hits", "hits skipped missed")
Sample = collections.namedtuple("Sample", "source probe time cpu task snapshot")
SAMPLE = re.compile(r"^  sample cpu=(\d+) time=(\d+) task=(\d+) source=(\d+) .* probe=(\d+) snapshot=(\d+)")


class Trace:
    """sources, probes: by id; hits: of probes, final counts; losses: by (source, CPU, cause), final counts."""

    def __init__(self, report, path):
        self.report, self.path = report, path
        self.sources, self.probes, self.hits, self.losses, self.samples = {}, {}, {}, {}, []
        told, tasks = {}, [Task(*NO_TASK)]
        for line in dumped(report, path):
            match = SAMPLE.match(line)
            if match:
                cpu, time, task, source, probe, snapshot = map(int, match.groups())
                self.samples.append(Sample(source, probe, time, cpu, tasks[task], snapshot))
                continue
            word, _, rest = line.strip().partition(" ")
            if word == "chunk":
                tasks[1:] = []
            elif word == "task":
                tasks.append(read_task(rest))
            elif word in ("source", "probe", "probe-hits", "loss"):
                self.read_state(word, pairs(rest), told)

    def read_state(self, word, f, told):
        if word == "source":
            self.sources[int(f["id"])] = Source(int(f["kind"]), f["name"].strip('"'), int(f["start"]), int(f["stop"]))
        elif word == "probe":
            self.probes[int(f["id"])] = Probe(int(f["source"]), int(f["hook"]), f["name"].strip('"'))
        elif word == "probe-hits" and int(f["time"]) >= told.get(f["probe"], 0):
            told[f["probe"]] = int(f["time"])
            self.hits[int(f["probe"])] = Hits(int(f["hits"]), int(f["skipped"]), int(f["missed"]))
        elif word == "loss":
            key = int(f["source"]), int(f["cpu"]), int(f["cause"])
            self.losses[key] = max(self.losses.get(key, 0), int(f["total"]))

    def points(self):
        """ids of the sources that are tracepoints or kernel functions"""
        return sorted(number for number, source in self.sources.items() if source.kind in (TRACEPOINT, KFUNC))

    def source_called(self, name):
        return next((number for number in self.points() if self.sources[number].name == name), None)

    def probes_of(self, source):
        return [number for number, probe in sorted(self.probes.items()) if probe.source == source]

    def probe_called(self, name):
        """By its name, or what follows its category."""
        found = [number for number, probe in sorted(self.probes.items()) if name in (probe.name, probe.name.partition(":")[2])]
        return found[0] if found else None

    def loss(self, source, *causes, cpu=None):
        return sum(total for (of, at, cause), total in self.losses.items()
                   if of == source and cause in causes and cpu in (None, at))

    def cpus(self, source):
        return sorted({cpu for of, cpu, cause in self.losses if of == source and cause == SEEN})

    def recorded(self, probe):
        return sum(sample.probe == probe for sample in self.samples)


def read_task(rest):
    f = pairs(rest)
    comm = re.search(r'comm="(.*)"(?: cgroup=\d+)?$', rest)
    return Task(comm.group(1) if comm else "", int(f["tid"]), int(f["tgid"]), bool(int(f["flags"], 0) & 1))


# --- the views -----------------------------------------------------------------------------------------------------------

def view(report, trace, *options, codes=(0, 3)):
    done = subprocess.run([report, *options, trace], capture_output=True, text=True, errors="replace", check=False)
    if done.returncode == 1 and ": error: nothing in the trace fits " in done.stderr:
        return ""
    if done.returncode not in codes:
        raise SystemExit("no '%s %s' exited %d: %s" % (report, " ".join(options), done.returncode, done.stderr[-500:]))
    return done.stdout


def has_option(report, option):
    done = subprocess.run([report, "--help=all"], capture_output=True, text=True, check=False)
    return re.search(r"(^|\s)%s\b" % re.escape(option), done.stdout) is not None


def plain(frame):
    return re.sub(r"_\[[a-z]\]$|\+0x[0-9a-f]+$", "", frame)


def folded(report, trace, *options):
    """[(comm, (frame root first), count)] of --folded."""
    rows = []
    for line in view(report, trace, "--folded", *options).splitlines():
        stack, _, count = line.rpartition(" ")
        if line.startswith("#") or not stack:
            continue
        frames = stack.split(";")
        rows.append((frames[0], tuple(map(plain, frames[1:])), int(count)))
    return rows


def stands_in(functions, frames):
    """Whether the functions follow each other directly in the frames."""
    return any(frames[i:i + len(functions)] == functions for i in range(len(frames) - len(functions) + 1))


# --- other counters ------------------------------------------------------------------------------------------------------

def read_perf_stat(path):
    """[(event, count)] of `perf stat -x,`, in the order of the command line."""
    with open(path, encoding="utf-8") as lines:
        rows = [line.split(",") for line in lines]
    return [(words[2], int(words[0])) for words in rows if len(words) > 3 and words[0].isdigit()]
