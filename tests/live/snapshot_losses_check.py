# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""snapshot_losses_check.py REPORT TRACE COUNTERS SOURCE: snapshots that did not fit into the ring. The trace's totals
for each CPU equal the kernel's counters (bpf_counters.py, read when nothing could change any more), and as many
events lack a snapshot; --info and the reports give the sum."""
import collections
import re
import subprocess
import sys

from points_check import NESTED, RECORDED, RING_FULL, Trace
from waits_trace import Judge, pairs

SNAPSHOT = 23
CAUSES = {"RECORDED": RECORDED, "RING_FULL": RING_FULL, "NESTED": NESTED, "SNAPSHOT": SNAPSHOT}


def read_counters(path):
    with open(path, encoding="utf-8") as lines:
        rows = [pairs(line) for line in lines]
    return {int(row["cpu"]): {name: int(row[name]) for name in CAUSES} for row in rows}


def check_totals(judge, trace, source, counters):
    for cpu, row in counters.items():
        for name, cause in CAUSES.items():
            judge.equal("%s, CPU %d" % (name, cpu), trace.loss(source, cause, cpu=cpu), row[name])
    judge.verdict(trace.loss(source, RING_FULL), "the ring was full", "nothing else was lost")


def check_events(judge, trace, source):
    bare, whole = collections.Counter(), collections.Counter()
    for sample in trace.samples:
        if sample.source == source:
            (whole if sample.snapshot else bare)[sample.cpu] += 1
    for cpu in sorted(set(bare) | set(whole)):
        judge.equal("events without a snapshot, CPU %d" % cpu, trace.loss(source, SNAPSHOT, cpu=cpu), bare[cpu])
    judge.verdict(sum(bare.values()) >= 20, "some events lack a snapshot", "%d do" % sum(bare.values()))
    judge.verdict(sum(whole.values()) >= 5, "some events have one", "%d do" % sum(whole.values()))


def check_words(judge, trace):
    """The sum of all sources, in --info, as a figure and as a note."""
    total = sum(trace.loss(source, SNAPSHOT) for source in trace.sources)
    done = subprocess.run([trace.report, "--info", trace.path], capture_output=True, text=True, errors="replace", check=False)
    judge.equal("exit code of --info", done.returncode, 3)
    for word, pattern in (("quality", r"^ *quality +(\d+) snapshot: events without a snapshot"),
                          ("note", r"^ *note +([\d,]+) events? without a snapshot")):
        said = re.findall(pattern, done.stdout + done.stderr, re.M)
        judge.equal("what --info says as %s" % word, [int(number.replace(",", "")) for number in said], [total])


def main():
    report, path, counters, number = sys.argv[1:]
    trace, source, judge = Trace(report, path), int(number), Judge(report, path)
    check_totals(judge, trace, source, read_counters(counters))
    check_events(judge, trace, source)
    check_words(judge, trace)
    judge.finish()


main()
