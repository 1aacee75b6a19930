#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""flight_check.py REPORT MARGIN STREAM DUMP...: each dump shows what the same stretch of the whole stream shows: stacks, names, what
is unknown, sums. MARGIN: seconds at both ends of a dump that are not compared; no wait that is compared is longer."""
import os, re, subprocess, sys

report, margin, stream, dumps = sys.argv[1], int(float(sys.argv[2]) * 1e9), sys.argv[3], sys.argv[4:]

def lines(*arguments):
    run = subprocess.run([report, *arguments], capture_output=True, text=True)
    if run.returncode not in (0, 1, 3):
        sys.exit("%s %s: exit code %d: %s" % (report, " ".join(arguments), run.returncode, run.stderr))
    return run.stdout.splitlines()

def facts(path, word, stop):
    """The fields of the first records of that name."""
    found = []
    dump = subprocess.Popen([report, "--dump", path], stdout=subprocess.PIPE, text=True)
    for line in dump.stdout:
        if line.startswith("  %s " % word):
            found.append(dict(re.findall(r"(\w+)=(\S+)", line)))
        if found and stop(line):
            break
    dump.kill()
    dump.wait()
    return found

def start(path):
    return min(int(source["start"]) for source in facts(path, "source", lambda line: " type EVENTS " in line))

def stretch(path, zero, first, last, source):
    waits = [] if source == "cpu" else ["--max-block-time=%d" % (margin // 1000)]
    if source == "offcpu":
        waits.append("--class=ended") # those that go on at the end of a dump may be longer in the stream
    return lines("--folded", "--idle", "--source=" + source, *waits,
                 "--time=%.9f,%.9f" % ((first - zero) / 1e9, (last - zero) / 1e9), path)

def compare(path, zero):
    window = facts(path, "window", lambda line: True)[0]
    first, last = int(window["since"]) + margin, int(window["until"]) - margin
    compared = 0
    for source in ("cpu", "offcpu", "wakers"):
        whole, dump = (stretch(one, begin, first, last, source) for one, begin in ((stream, zero), (path, start(path))))
        if whole != dump:
            differ = sorted(set(whole) ^ set(dump))
            print("%s: %s: %d of %d stacks differ, such as %s" % (
                os.path.basename(path), source, len(differ), len(whole), differ[:2]))
            return 0
        compared += len(whole)
    if not compared:
        print("%s: nothing was compared" % os.path.basename(path))
    return compared

zero = start(stream)
results = [compare(path, zero) for path in dumps]
print("%d dumps, %d stacks compared" % (len(results), sum(results)))
sys.exit(not results or not all(results))
