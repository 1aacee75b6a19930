# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Shared by the checkers: verdicts, running the checks named on the command line, and reading what they compare: the truth
that workloads/waits.c prints, the records of `rwalker-report --dump`, and the views. Times are CLOCK_MONOTONIC ns."""
import bisect
import collections
import os
import re
import subprocess
import sys

CLASSES = BLOCKED, PREEMPTED, YIELDED, CANCELLED, STARTED = "blocked", "preempted", "yielded", "cancelled", "started"
CONTEXTS = NONE, TASK, SOFTIRQ, IRQ, UNKNOWN = "none", "task", "softirq", "irq", "unknown"
SUM_KINDS = "interruptible", "uninterruptible", "other_blocked", "preempted", "yielded", "cancelled", "started"
SUM_BLOCKED = SUM_KINDS[:3]
HAS_USER, USER_MISSING, USER_LATER, IOWAIT, BEGAN_BEFORE, NOT_ENDED = 2, 32, 64, 128, 256, 1024
OUT_LATEST = 16384

# Lengths are by the scheduler's clock, and the end of a wait is by CLOCK_MONOTONIC. With -m 0 and without --wakers
# the end is also by the scheduler's clock, plus the lag that the recorder measures for it
# (record/probe/sched_clock.c: READING_NS, DRIFT_PART).
READING, DRIFT_PART = 500_000, 1000

def pairs(text):
    """ "a=1 b=x" as a dict; strings in quotes hold no blank that matters here."""
    return dict(word.split("=", 1) for word in text.split() if "=" in word)

# --- verdicts -----------------------------------------------------------------------------------------------------------

class Judge:
    def __init__(self, report, path):
        self.report, self.path = report, path
        self.shown = collections.Counter()

    def verdict(self, good, what, why=""):
        """Shows the first ten of many failures of one kind; the others are counted at the end."""
        kind = re.sub(r"[0-9]+", "N", what)
        good = bool(good)
        self.shown[kind, good] += 1
        if good or self.shown[kind, good] <= 10:
            print("yes " + what if good else "no %s: %s" % (what, why))
        return good

    def equal(self, what, got, want):
        return self.verdict(got == want, what, "%s, expected %s" % (got, want))

    def finish(self):
        for (kind, good), count in self.shown.items():
            if not good and count > 10:
                print("# %d more like '%s'" % (count - 10, kind))
        if not self.shown:
            print("no anything: the workload told nothing that could be checked")

def run(judge, functions):
    """The function check_some_thing(judge, argument) is the check some-thing:ARGUMENT."""
    for word in sys.argv[4:]:
        name, _, argument = word.partition(":")
        functions["check_" + name.replace("-", "_")](judge, argument)
    judge.finish()

# --- the truth -----------------------------------------------------------------------------------------------------------

Bracket = collections.namedtuple("Bracket", "begin end begin_real end_real")

class Thread:
    def __init__(self, fields):
        self.comm, self.path, self.tid, self.tgid = fields["comm"], fields["path"].split(";"), int(fields["tid"]), int(fields["tgid"])
        numbers = {key: int(value) for key, value in fields.items() if key not in ("comm", "path")}
        self.born, self.ended, self.run, self.delay = (numbers[key] for key in ("born", "ended", "run", "delay"))
        self.switches = numbers["nvcsw"] + numbers["nivcsw"]
        self.numbers = numbers
        self.brackets = []
        self.asleep = 0

    @property
    def wall(self):
        return self.ended - self.born

    @property
    def total(self):
        return sum(bracket.end - bracket.begin for bracket in self.brackets)

    @property
    def longest(self):
        return max(self.brackets, key=lambda bracket: bracket.end - bracket.begin)

def read_stolen(path):
    """Time stolen by the host meanwhile, plus a tick of 10 ms that may have begun before; 0 if it never steals."""
    with open(path, encoding="utf-8") as lines:
        stolen = sum(int(pairs(line)["stolen"]) for line in lines if line.startswith("machine "))
    return stolen + 10**7 if stolen else 0

def read_truth(path):
    """Threads in the order of the output."""
    threads = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            word, _, rest = line.partition(" ")
            fields = pairs(rest) if word in ("thread", "wait", "asleep") else {}
            if word == "thread":
                threads.append(Thread(fields))
            elif word == "wait":
                threads[-1].brackets.append(Bracket(*(int(fields.get(key, 0)) for key in Bracket._fields)))
            elif word == "asleep":
                threads[-1].asleep = int(fields["time"])
    return threads

# --- the trace -----------------------------------------------------------------------------------------------------------

def dumped(report, path):
    """The lines of --dump. It exits with 3 if a section has no end or was cut short, or a payload is malformed, as
    these lines show."""
    sections = lacks = 0
    with subprocess.Popen([report, "--dump", path], stdout=subprocess.PIPE, text=True, errors="replace") as dump:
        for line in dump.stdout:
            if line.startswith("section ") and " closed " in line:
                sections += 1
                lacks |= " closed 1 " not in line or line.split()[-1] in ("2", "3", "5")
            lacks |= line == "  malformed\n"
            yield line
    expected = 3 if lacks or not sections else 0
    if dump.returncode != expected:
        raise SystemExit("no '%s --dump' exited %d, not %d" % (report, dump.returncode, expected))

Task = collections.namedtuple("Task", "tgid tid comm kernel start")
NOBODY = Task(0, 0, "", False, 0)

class Wait:
    __slots__ = ("task", "cpu", "end", "length", "run_queue", "started_queue", "state", "flags", "kind", "context", "waker", "woken")

    def __init__(self, fields, tasks):
        number = {key: int(value, 0) for key, value in fields.items()}
        self.task, self.cpu = tasks[number["task"]], number["cpu"]
        self.end, self.length = number["time"], number["length"]
        self.state, self.flags = number["state"], number["flags"]
        self.kind = CLASSES[number["wait_class"] if "wait_class" in number else number["class"]]
        self.started_queue = number.get("run_queue", 0)
        self.run_queue = number.get("run_queue", 0) if self.kind == BLOCKED else self.length - number.get("throttled", 0)
        self.context = CONTEXTS[number.get("context", number.get("waker_context", 0))]
        self.waker = tasks[number["waker"]] if number.get("waker") else NOBODY
        self.woken = self.end - number["woken"] if self.context != NONE else 0

    @property
    def begin(self):
        return self.end - self.length

    @property
    def open(self):
        return bool(self.flags & (BEGAN_BEFORE | NOT_ENDED))

Walked = collections.namedtuple("Walked", "tid time wait bound")
AT_LEAST = 2  # a bound

class Sums:
    def __init__(self, fields, tasks):
        number = {key: int(value, 0) for key, value in fields.items()}
        self.task, self.time, self.span, self.running = tasks[number["task"]], number["time"], number["span"], number["running"]
        self.kinds = {kind: tuple(number.get(kind + end, 0) for end in ("_count", "_total", "_run_queue")) for kind in SUM_KINDS}

class Trace:
    """The parts of a trace that the tests use. by_tid: waits in the order of their ends."""

    def __init__(self, report, path):
        self.waits, self.sums, self.wakes, self.user_stacks, self.clocks, self.losses = [], [], [], [], [], []
        self.walked = []
        self.least, self.by_queue = 0, False
        self.start = 0
        self.report, self.path = report, path
        tasks = [NOBODY]
        readers = {
            "wait": lambda f: self.waits.append(Wait(f, tasks)),
            "wait-sums": lambda f: self.sums.append(Sums(f, tasks)),
            "wake": self.wakes.append,
            "user-stack": self.user_stacks.append,
            "clock": lambda f: self.clocks.append((int(f["time"]), int(f["realtime"]))),
            "loss": self.losses.append,
            "walk-task": lambda f: self.walked.append(Walked(tasks[int(f["task"])].tid, *(int(f[key]) for key in Walked._fields[1:]))),
            "source": self.read_source,
        }
        for line in dumped(report, path):
            word, _, rest = line.strip().partition(" ")
            if word == "chunk":
                tasks[1:] = []
            elif word == "task":
                tasks.append(self.read_task(rest))
            elif word in readers:
                readers[word](pairs(rest))
        self.by_tid = collections.defaultdict(list)
        for wait in sorted(self.waits, key=lambda wait: wait.end):
            self.by_tid[wait.task.tid].append(wait)
        self.ends = {tid: [wait.end for wait in waits] for tid, waits in self.by_tid.items()}

    @staticmethod
    def read_task(rest):
        fields = pairs(rest)
        comm = re.search(r'comm="(.*)"(?: cgroup=\d+)?$', rest)
        return Task(int(fields["tgid"]), int(fields["tid"]), comm.group(1) if comm else "", bool(int(fields["flags"], 0) & 1),
                    int(fields["start"]))

    def read_source(self, fields):
        if int(fields["kind"]) == 2:
            self.least, self.start = int(fields.get("least", 0)), int(fields["start"])
            self.by_queue = not self.least
        elif int(fields["kind"]) == 3:
            self.by_queue = False

    def within(self, tid, begin, end):
        """The waits of a thread that began and ended in [begin, end], as far as the recorder's clock can say: their
        middle is in it, and they exceed it by no more than that clock may be off, plus its possible drift during the
        wait."""
        waits = self.by_tid.get(tid, [])
        off = READING if self.by_queue else 0
        first = bisect.bisect_left(self.ends.get(tid, []), begin)
        last = bisect.bisect_right(self.ends.get(tid, []), end + off)
        return [wait for wait in waits[first:last]
                if begin <= wait.end - wait.length // 2 <= end and wait.begin >= begin - off - wait.length // DRIFT_PART]

    @staticmethod
    def of_first(records):
        """Without those of later threads, which may have its tid."""
        return [record for record in records if record.task.start == records[0].task.start]

    def of(self, thread):
        return self.of_first(self.within(thread.tid, thread.born, 1 << 63))

    def sums_of(self, thread):
        """kind -> (count, total, run queue), and the time that the thread ran."""
        mine = self.of_first([s for s in self.sums if s.task.tid == thread.tid and s.time >= thread.born])
        return {kind: tuple(sum(s.kinds[kind][i] for s in mine) for i in range(3)) for kind in SUM_KINDS}, sum(s.running for s in mine)

    def ran_after(self, thread):
        """How long it can have run between its last reading of its account and its end, where its last sums are
        written."""
        last = max((s.time for s in self.sums if s.task.tid == thread.tid), default=thread.ended)
        waited = sum(w.length - max(0, thread.ended - w.begin) for w in self.by_tid.get(thread.tid, []) if thread.ended < w.end <= last)
        return max(0, last - thread.ended - waited)

    def realtime(self, time):
        """Wall clock time, by the last clock reading before it; the tests step no clock."""
        before = [clock for clock in self.clocks if clock[0] <= time] or self.clocks[:1]
        return before[-1][1] + time - before[-1][0]

# --- the views -----------------------------------------------------------------------------------------------------------

def view(report, trace, *options, codes=None):
    """The output of a view, "" if nothing passes its filters. If the kernel hides threads, one of their events may
    count as lost (3); likewise on 6.1 with PREEMPT_RT, where the caller has checked the recorder's own exit code."""
    if not codes:
        codes = (0, 3) if "1" in (os.environ.get("WAITS_HIDDEN"), os.environ.get("WAITS_EMULATED")) else (0,)
    done = subprocess.run([report, *options, trace], capture_output=True, text=True, errors="replace", check=False)
    if done.returncode == 1 and ": error: nothing in the trace fits " in done.stderr:
        return ""
    if done.returncode not in codes:
        raise SystemExit("no '%s %s' exited %d: %s" % (report, " ".join(options), done.returncode, done.stderr[-500:]))
    return done.stdout

def folded(report, trace, *options):
    """[(comm, [frame root first], us)] of --folded; the waker's half follows "--"."""
    rows = []
    for line in view(report, trace, "--folded", "--source", "offcpu", *options).splitlines():
        if line.startswith("#") or not line.strip():
            continue
        stack, _, weight = line.rpartition(" ")
        frames = stack.split(";")
        rows.append((frames[0], frames[1:], int(weight)))
    return rows

def holds(frames, path):
    """Whether the frames have the path's functions in that order."""
    rest = iter(re.sub(r"_\[[a-z]\]$|\+0x[0-9a-f]+$", "", frame) for frame in frames)
    return all(name in rest for name in path)

def summary(report, trace):
    """{tid: {column: ns}} of --summary for all threads; its head line has the names of the columns, each as wide as
    its figures."""
    rows, columns = {}, []
    for line in view(report, trace, "--summary", "--throughout").splitlines():
        if re.match(r"^#\s+wall\s", line):
            columns = re.split(r"\s{2,}", line.lstrip("# ").strip())
        found = re.match(r"^\s+([-\d.]+(?:\s+[-\d.]+)*)\s+(.*) tid (\d+) pid \d+", line)
        if found and columns:
            figures = [None if word == "-" else round(float(word) * 1e6) for word in found.group(1).split()[: len(columns) - 1]]
            rows[int(found.group(3))] = dict(zip(columns, figures))
    return rows
