#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""flight_check.py REPORT MARGIN STREAM DUMP...: each dump shows the same as that stretch of the whole stream: every
event with its task, stack, names, what is unknown, object, waker and cgroup, and the sums of short waits. MARGIN:
seconds at both ends of a dump that are not compared. The stream is read once."""
import bisect, json, os, re, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import rows as rows_of

TIMES = ("offset_ns", "out_ns", "in_ns", "wakeup_ns")
# Fields of a wait that are cut at the begin of the recording, or depend on it.
CUT = ("weight", "open", "bound", "length_ns", "out_ns", "blocked_ns")
# The process at the other end of a pipe or connection, which depends on everything that was recorded.
ENDS = re.compile(r"((?:pipe|fifo|unix|tcp|udp|socket)\b.*) \((?:written by|read by|at its other end) .*\)$")
WAITS = "2" # kind of source
WAKER = ("waker_context", "waker_comm", "waker_pid", "waker_tid", "waker_stack")

report, margin, stream, dumps = sys.argv[1], int(float(sys.argv[2]) * 1e9), sys.argv[3], sys.argv[4:]

class Facts:
    """What only records have, not events: when the sources began, the window of a dump, sums of short waits."""

    def __init__(self, path):
        self.starts, self.window, self.sums = {}, None, []
        lines = subprocess.Popen(
            "'%s' --dump '%s' 2>/dev/null | grep -E '^  (source|window|wait-sums) '" % (report, path), shell=True,
            stdout=subprocess.PIPE, text=True)
        for line in lines.stdout:
            self.take(line.split(None, 1)[0], line)
        lines.wait()
        self.start = self.starts.get(WAITS) or min(self.starts.values()) # as exports have it
        self.start = max(self.start, self.window[0] if self.window else 0)
        self.sums.sort()

    def take(self, word, line):
        if word == "wait-sums":
            self.sums.append((int(re.search(r" time=(\d+)", line)[1]), line)) # tasks have the numbers of their chunk
            return
        fields = dict(re.findall(r"(\w+)=(\S+)", line))
        if word == "source":
            self.starts[fields["kind"]] = int(fields["start"])
        else:
            self.window = int(fields["since"]), int(fields["until"])

class Events:
    """All events of a trace, in the order of their ends."""

    def __init__(self, path):
        self.facts = Facts(path)
        self.file = tempfile.TemporaryFile()
        for row in rows_of.read(report, path, "--throughout", "--quick", "--max-memory=2G"):
            self.file.write(json.dumps(row, separators=(",", ":")).encode() + b"\n")
        self.rows = [] # end, begin, where its line is
        self.read()
        self.rows.sort()
        self.ends = [row[0] for row in self.rows]

    def read(self):
        self.file.seek(0)
        at = 0
        for line in self.file:
            begin = re.search(rb'"out_ns":(-?\d+)', line)
            end = re.search(rb'"in_ns":(-?\d+)' if begin else rb'"offset_ns":(-?\d+)', line)
            self.rows.append((int(end[1]) + self.facts.start, int((begin or end)[1]) + self.facts.start, at))
            at += len(line)

    def within(self, first, last, edge):
        """The events that ended in that time, as text; for those that began before the edge, only what does not
        depend on it."""
        found = []
        for end, begin, at in self.rows[bisect.bisect_left(self.ends, first):bisect.bisect_right(self.ends, last)]:
            self.file.seek(at)
            found.append(self.text(self.file.readline(), first, begin < edge))
        sums = self.facts.sums[bisect.bisect_left(self.facts.sums, (first,)):bisect.bisect_left(self.facts.sums, (last,))]
        return sorted(found) + sums

    def text(self, line, first, cut):
        row = json.loads(line)
        row.pop("realtime_ns", None) # depends on the latest reading of the clocks
        if row.get("what_for"):
            row["what_for"] = ENDS.sub(r"\1", row["what_for"])
        for name in TIMES:
            if row.get(name) is not None:
                row[name] += self.facts.start
        left_out = CUT if cut else ()
        if "woken_comm" in row: # a wakeup has the weight of its wait, and the group that any record of the waker has
            left_out += ("weight", "cgroup")
        if row.get("wakeup_ns") is None or row["wakeup_ns"] < first:
            left_out += WAKER
        return json.dumps({name: value for name, value in row.items() if name not in left_out})

def compare(path, whole):
    dump = Events(path)
    since, until = dump.facts.window
    here, there = (events.within(since + margin, until - margin, since) for events in (dump, whole))
    if here != there:
        differ = sorted(set(here) ^ set(there), key=lambda text: (re.search(r"offset_ns.*?,", str(text)) or "a")[0])
        print("%s: %d of %d events differ (%d in the dump), such as" % (
            os.path.basename(path), len(differ), len(there), len(here)))
        for text in differ[:4]:
            print("    %s: %s" % ("dump" if text in here else "stream", text))
        return 0
    if not here:
        print("%s: nothing was compared" % os.path.basename(path))
    return len(here)

whole = Events(stream)
results = [compare(path, whole) for path in dumps]
print("%d dumps, %d events compared" % (len(results), sum(results)))
sys.exit(not results or not all(results))
