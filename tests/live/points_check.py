#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""points_check.py REPORT TRACE TRUTH CHECK[:ARGUMENT]...: compares a trace of tracepoints and kernel functions with the calls that
the workload (workloads/calls.c) counted, and with other counters. Each check prints lines "yes WHAT" and "no WHAT: WHY"; "# ..."
are remarks. Exit 0 if all ran to completion."""
import collections
import re
import sys

from waits_trace import Judge as PlainJudge, dumped, pairs, run, view as whole_view

TRACEPOINT, KFUNC = 4, 5
HOOKS = {1: "raw tracepoint", 2: "tracepoint", 3: "fentry", 4: "kprobe", 5: "kprobe.multi"}
RING_FULL, NO_ENTRY, RECURSION, NESTED, OWN, FILTERED, IDLE, RECORDED, SEEN, RATE_LIMITED, SNAPSHOT = 1, 2, 3, 5, 7, 8, 9, 12, 13, 22, 23
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

def view(report, trace, *options):
    return whole_view(report, trace, *options, codes=(0, 3))

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

# --- checks ---------------------------------------------------------------------------------------------------------------

SECOND = 10**9
NEAR = SECOND // 20     # around a source's start and stop: the recorder may wait for a CPU after reading the clock

# Frames between the traced function, or the tracepoint's caller, and the program: not part of what was traced.
PLUMBING = re.compile(r"(?<![\w.])(bpf_prog_[0-9a-f]{8,}\w*|_?_?bpf_trace_\w+|bpf_trace_run\d+|__traceiter_\w+|perf_trace_\w+|"
                      r"trace_event_raw_event_\w+|perf_syscall_(?:enter|exit)|trace_call_bpf|bpf_trampoline_\w+|bpf_get_stack\w*|"
                      r"kprobe_\w*(?:handler|dispatcher|func|link_prog_run)|aggr_pre_handler|opt_pre_handler|optimized_callback|"
                      r"fprobe_\w*handler|ftrace_\w*(?:trampoline|call|caller)|arch_ftrace_ops_list_func|__ftrace_\w+|"
                      r"function_graph_enter\w*|do_int3|asm_exc_int3|exc_int3)\b")

class Judge(PlainJudge):
    def __init__(self, report, path, truth):
        super().__init__(report, path)
        self.trace, self.truth = Trace(report, path), read_truth(truth)

def want_of(argument):
    """ "write,openat@vfs_*/calls-two": calls, the leaf function, the comm; each may be missing."""
    calls, leaf, comm = re.match(r"([^@/]*)(?:@([^/]*))?(?:/(.*))?$", argument).groups()
    return calls.split(",") if calls else [], leaf, comm

def check_account(judge, _):
    """Every event seen is recorded, left out or lost, on each CPU; the probes' hits add up to those of their source;
    and the recorded events are in the file."""
    trace = judge.trace
    for source in trace.points():
        name = trace.sources[source].name
        for cpu in trace.cpus(source):
            judge.equal("%s, CPU %d: seen = recorded + left out + lost" % (name, cpu), trace.loss(source, SEEN, cpu=cpu),
                        trace.loss(source, RECORDED, *LEFT_OUT, *LOST, cpu=cpu))
        probes = trace.probes_of(source)
        hits = [trace.hits.get(probe, Hits(0, 0, 0)) for probe in probes]
        judge.verdict(set(probes) <= set(trace.hits), name + ": each probe's hits are told", "not of all")
        judge.equal(name + ": hits = recorded + skipped + lost", sum(h.hits for h in hits),
                    trace.loss(source, RECORDED, RATE_LIMITED, *LOST))
        judge.equal(name + ": skipped", sum(h.skipped for h in hits), trace.loss(source, RATE_LIMITED))
        mine = [sample for sample in trace.samples if sample.source == source]
        judge.equal(name + ": samples in the file", len(mine), trace.loss(source, RECORDED))
        judge.verdict(all(sample.probe in probes for sample in mine), name + ": samples name its probes", "others too")

def check_lost(judge, argument):
    """How much was lost in all: a number, or "some"."""
    lost = sum(judge.trace.loss(source, *LOST, RECURSION) for source in judge.trace.points())
    print("# lost %d" % lost)
    judge.verdict(lost > 0 if argument == "some" else lost == int(argument), "lost: " + argument, "%d are" % lost)

def check_paths(judge, argument):
    """paths:[CALLS][@LEAF][/COMM]: each of the workload's call paths has as many stacks as it made calls; other calls
    or threads have none. LEAF: only stacks that end in this function."""
    calls, leaf, comm = want_of(argument)
    rows = folded(judge.report, judge.path)
    for path in judge.truth.paths:
        wanted = (not calls or path.call in calls) and comm in (None, path.comm)
        got = sum(count for of, frames, count in rows if of == path.comm and stands_in(path.functions, frames) and
                  (not leaf or frames[-1] == leaf))
        judge.equal("%s, %s by %s%s" % (path.comm, path.call, ";".join(path.functions), " to " + leaf if leaf else ""), got,
                    path.count if wanted else 0)

def check_calls(judge, argument):
    """calls:PROBE=CALL: the probe's hits are the workload's calls."""
    name, _, call = argument.partition("=")
    probe = judge.trace.probe_called(name)
    want = sum(path.count for path in judge.truth.paths if path.call == call)
    judge.equal("%s: hits" % name, judge.trace.hits[probe].hits if probe else None, want)

def check_at_least(judge, argument):
    """at-least:PROBE=CALL: the probe has at least the workload's calls; the process may make more than it reports."""
    name, _, call = argument.partition("=")
    probe = judge.trace.probe_called(name)
    hits, want = judge.trace.hits[probe].hits if probe else 0, sum(p.count for p in judge.truth.paths if p.call == call)
    judge.verdict(want <= hits <= want + 200, "%s: hits" % name, "%d, expected at least %d, not many more" % (hits, want))

def check_perf(judge, argument):
    """perf:FILE[=NAME[+N],...]: counts of `perf stat -x,` in the same run; of these probes, if named differently; perf may miss N
    of them."""
    path, _, names = argument.partition("=")
    counts = read_perf_stat(path)
    names = names.split(",") if names else [name for name, _ in counts]
    judge.equal("perf stat: events", len(counts), len(names))
    for name, (_, count) in zip(names, counts):
        name, _, more = name.partition("+")
        probe = judge.trace.probe_called(name)
        judge.equal("%s: hits as perf stat counted" % name, judge.trace.hits[probe].hits if probe else None, count + int(more or 0))
        if probe and not judge.trace.hits[probe].skipped:
            judge.equal("%s: events as perf stat counted" % name, judge.trace.recorded(probe), count + int(more or 0))

# Calls that the process makes before it becomes the command: it tries an interpreter, and writes that.
BEFORE_COMMAND = {"do_sys_openat2": 1, "vfs_write": 1}

def check_counts(judge, argument):
    """counts:FILE: lines "FUNCTION TID COUNT" of another counter of the workload's threads in the same run; the first is the command."""
    with open(argument, encoding="utf-8") as lines:
        counts = {(words[0], int(words[1])): int(words[2]) for words in map(str.split, lines)}
    tids = sorted({path.tid for path in judge.truth.paths})
    for number, probe in sorted(judge.trace.probes.items()):
        if not any(name == probe.name for name, _ in counts):
            continue
        for tid in tids:
            got = sum(sample.probe == number and sample.task.tid == tid for sample in judge.trace.samples)
            judge.equal("%s by thread %d: as the kernel's own kprobe counted" % (probe.name, tids.index(tid)), got,
                        counts.get((probe.name, tid), 0) - (BEFORE_COMMAND.get(probe.name, 0) if tid == tids[0] else 0))

def check_order(judge, _):
    """Times of the events on each CPU ascend in file order: none occurs twice or goes backwards."""
    last, wrong = {}, 0
    for sample in judge.trace.samples:
        wrong += sample.time <= last.get(sample.cpu, 0)
        last[sample.cpu] = sample.time
    judge.verdict(judge.trace.samples and not wrong, "times ascend on each CPU", "%d of %d do not" % (wrong, len(judge.trace.samples)))

def check_calls_at_most(judge, argument):
    """calls-at-most:PROBE=N: hits and those that the kernel left out are at most N; and more than half of them are known."""
    name, _, most = argument.partition("=")
    hits = judge.trace.hits[judge.trace.probe_called(name)]
    print("# %s: %d hits, %d missed" % (name, hits.hits, hits.missed))
    judge.verdict(0 < hits.hits <= int(most) <= 2 * (hits.hits + hits.missed), "%s: hits and misses" % name,
                  "%d and %d" % (hits.hits, hits.missed))

def check_nested(judge, argument):
    """nested:PROBE: some events happened while another one was being put into the ring: they are counted, and do no
    harm."""
    source = judge.trace.probes[judge.trace.probe_called(argument)].source
    nested = judge.trace.loss(source, NESTED)
    print("# %s: %d within another's output" % (argument, nested))
    judge.verdict(nested > 0, argument + ": within another's output", "none was")

def check_missed(judge, argument):
    """missed:PROBE=CALL: the kernel skipped our program once for each of these calls, and counted that. One in 61 runs of our
    programs is timed, which calls bpf_ktime_get_ns a few times more."""
    name, _, call = argument.partition("=")
    probe = judge.trace.probe_called(name)
    want = sum(path.count for path in judge.truth.paths if path.call == call)
    missed = judge.trace.hits[probe].missed if probe else 0
    judge.verdict(want <= missed <= want + want // 8, "%s: missed" % name, "%d, expected %d" % (missed, want))
    judge.equal("%s: lost by recursion" % name, judge.trace.loss(judge.trace.probes[probe].source, RECURSION) if probe else None, missed)

def check_probes(judge, argument):
    """probes:NAME,...: these and no others."""
    judge.equal("probes", sorted(probe.name for probe in judge.trace.probes.values()), sorted(argument.split(",")))

def check_hook(judge, argument):
    """hook:WORD: all probes are attached in this way."""
    judge.equal("hooks", {HOOKS.get(probe.hook, probe.hook) for probe in judge.trace.probes.values()}, set(argument.split(",")))

def check_leaves(judge, _):
    """The first frame is the traced function, in as many stacks as each probe has events."""
    for number, probe in sorted(judge.trace.probes.items()):
        want = judge.trace.recorded(number)
        if judge.trace.sources[probe.source].kind != KFUNC or not want:
            continue
        leaves = collections.Counter()
        for _, frames, count in folded(judge.report, judge.path, "-K", "--source", "kfunc", "--probe", probe.name):
            leaves[frames[-1] if frames else "(no frame)"] += count
        judge.equal(probe.name + ": first frames", dict(leaves), {probe.name: want})

def check_comms(judge, argument):
    """comms:NAME,...: each of these comms has events, and no other one has."""
    points = judge.trace.points()
    judge.equal("comms", sorted({s.task.comm for s in judge.trace.samples if s.source in points}), sorted(argument.split(",")))

def check_ends(judge, argument):
    """ends:SOURCE=SECONDS,...: each source stops by itself, and has no later events."""
    for word in argument.split(","):
        name, _, seconds = word.rpartition("=")
        number = judge.trace.source_called(name)
        if not judge.verdict(number is not None, name + ": is a source", "it is not there"):
            continue
        source = judge.trace.sources[number]
        took = (source.stop - source.start) / SECOND
        judge.verdict(float(seconds) <= took <= float(seconds) + 0.5, name + ": runs for its seconds", "%.3f, not %s" % (took, seconds))
        times = [s.time for s in judge.trace.samples if s.source == number]
        judge.verdict(times and source.start <= min(times) and max(times) <= source.stop + NEAR,
                      name + ": events lie between start and stop", "%d events" % len(times))

def check_timely(judge, argument):
    """timely:SOURCE,...: each source has the calls that the workload made while the source ran, and no others."""
    for name in argument.split(","):
        number = judge.trace.source_called(name)
        source, got = judge.trace.sources[number], sum(s.source == number for s in judge.trace.samples)
        least = sum(begin >= source.start + NEAR and end <= source.stop - NEAR for begin, end in judge.truth.calls)
        most = sum(end >= source.start and begin <= source.stop + NEAR for begin, end in judge.truth.calls)
        judge.verdict(0 < least <= got <= most, name + ": the calls of that time", "%d, expected %d to %d" % (got, least, most))

def check_rate(judge, argument):
    """rate:N: each source has at most N events in any second on each CPU (one more is allowed: their times are read a
    little later)."""
    limit = int(argument)
    for source in judge.trace.points():
        by_cpu = collections.defaultdict(list)
        for sample in judge.trace.samples:
            if sample.source == source:
                by_cpu[sample.cpu].append(sample.time)
        for cpu, times in sorted(by_cpu.items()):
            times.sort()
            most = first = 0
            for last, time in enumerate(times):
                while time - times[first] >= SECOND:
                    first += 1
                most = max(most, last - first + 1)
            judge.verdict(most <= limit + 1, "CPU %d: events in any second" % cpu, "%d, the limit is %d" % (most, limit))
            print("# CPU %d: %d events, at most %d in a second" % (cpu, len(times), most))

def check_spread(judge, _):
    """A storm is sampled throughout, whenever its thread has a CPU: what passes in gaps of more than 20 ms is the time in which it
    had none, or a fifth of its own."""
    storm = judge.truth.paths[0]
    times = sorted(sample.time for sample in judge.trace.samples if sample.probe)
    gaps = sum(b - a for a, b in zip(times, times[1:]) if b - a > 20 * 10**6)
    judge.verdict(gaps <= storm.wall - storm.run + storm.run // 5, "events lie all through the storm", "nothing for %d ms; it ran %d of %d ms" %
                  (gaps // 10**6, storm.run // 10**6, storm.wall // 10**6))

def check_frames(judge, _):
    """No view shows our own part of the stack, unless it is asked to."""
    for options in (("--folded",), ("--stacks",), ("--tree",), ("--histogram",), ("--events", "-v"),
                    ("--export", "perf-script")):
        text = "\n".join(line for line in view(judge.report, judge.path, *options).splitlines() if not line.startswith("#"))
        found = PLUMBING.search(text)
        judge.verdict(text and not found, "%s: no frames of tracing" % options[0], found and "'%s'" % found.group(0))

def check_snapshots(judge, _):
    """Snapshots that did not fit into the ring: as many events of the first source as the trace says lack one, on each CPU, while
    others have one and others are lost altogether; --info gives the sum."""
    trace, source = judge.trace, min(judge.trace.sources)
    mine = [sample for sample in trace.samples if sample.source == source]
    bare = collections.Counter(sample.cpu for sample in mine if not sample.snapshot)
    for cpu in trace.cpus(source):
        judge.equal("events without a snapshot, CPU %d" % cpu, trace.loss(source, SNAPSHOT, cpu=cpu), bare[cpu])
    judge.verdict(sum(bare.values()) >= 20, "some events lack a snapshot", "%d do" % sum(bare.values()))
    judge.verdict(len(mine) - sum(bare.values()) >= 5, "some events have one", "%d do" % (len(mine) - sum(bare.values())))
    judge.verdict(trace.loss(source, RING_FULL), "the ring was full", "nothing else was lost")
    said = re.findall(r"^ *note +([\d,]+) events? without a snapshot", whole_view(trace.report, trace.path, "--info", codes=(3,)), re.M)
    judge.equal("what --info says", [int(number.replace(",", "")) for number in said], [trace.loss(source, SNAPSHOT)])

if __name__ == "__main__":
    run(Judge(*sys.argv[1:4]), globals())
