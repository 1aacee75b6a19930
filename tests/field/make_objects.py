#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""make_objects.py REPORT TRACE STRACE: compares waits for pipes and children with the output of strace -f -y -ttt -T
for the same run.

Each recorded wait in a call that strace saw last as long is compared: the call, the pipe's inode, the child's pid.
Objects that the trace does not know count as wrong. Prints "same N of M", and what differs."""
import bisect
import collections
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import rows as rows_of

LINE = re.compile(r"^(\d+) +(\d+)\.(\d{6}) (.*)$")
CALL = re.compile(r"^(\w+)\((.*)$")
RESUMED = re.compile(r"^<\.\.\. (\w+) resumed>(.*)$")
TOOK = re.compile(r"<(\d+)\.(\d{6})>$")
PIPE = re.compile(r"^\d+<(pipe:)\[(\d+)\]>")
US, SLACK = 1000, 50_000  # ns: strace reads its clock after the tracee has stopped
Call = collections.namedtuple("Call", "begin end name arguments")


def calls_of(path):
    """tid -> calls in the order of their begins."""
    calls, begun = collections.defaultdict(list), {}
    for line in open(path, encoding="utf-8", errors="replace"):
        match = LINE.match(line.rstrip("\n"))
        if not match:
            continue
        tid, time, text = int(match[1]), int(match[2]) * 10**9 + int(match[3]) * US, match[4]
        resumed, call, took = RESUMED.match(text), CALL.match(text), TOOK.search(text)
        if call and text.endswith("<unfinished ...>"):
            begun[tid] = time, call[1], call[2]
            continue
        if resumed:
            begin, name, arguments = begun.pop(tid, (None, None, None))
        elif call:
            begin, name, arguments = time, call[1], call[2]
        else:
            continue
        if begin is not None and took:
            calls[tid].append(Call(begin, begin + int(took[1]) * 10**9 + int(took[2]) * US, name, arguments))
    return calls


def what_it_says(call):
    """("read", "pipe:5"), ("wait4", 4711), ("wait4", 0) for any child; None for other objects."""
    if call.name in ("read", "write", "readv", "writev"):
        pipe = PIPE.match(call.arguments)
        return pipe and (call.name, pipe[1] + pipe[2])
    if call.name == "wait4":
        number = re.match(r"-?\d+", call.arguments)
        return number and (call.name, max(int(number[0]), 0))
    return None


def what_we_say(wait):
    kind, text = wait.get("object_kind"), wait.get("object", "")
    if kind == "child":
        number = re.search(r"(\d+)$", text)
        return wait.get("call"), int(number[1]) if number and text != "any child" else 0
    return wait.get("call"), text


def find(calls, begins, time):
    at = bisect.bisect_right(begins, time) - 1
    return calls[at] if at >= 0 and calls[at].end >= time else None


def main():
    report, trace, strace = sys.argv[1:]
    calls = calls_of(strace)
    begins = {tid: [call.begin for call in of] for tid, of in calls.items()}
    same, kinds, wrong = 0, collections.Counter(), []
    for wait in rows_of.read(report, trace, "--throughout", "--source", "offcpu"):
        if wait.get("class") != "blocked" or wait.get("state") not in ("S", "D") or wait.get("open"):
            continue
        middle = wait["realtime_ns"] - wait["length_ns"] // 2
        call = find(calls.get(wait["tid"], []), begins.get(wait["tid"], []), middle)
        if not call or call.end + SLACK < wait["realtime_ns"] - wait["run_queue_ns"]:
            continue
        truth = what_it_says(call)
        if not truth:
            continue
        kinds["pipe" if str(truth[1]).startswith("pipe") else "child"] += 1
        if what_we_say(wait) == truth:
            same += 1
        else:
            wrong.append(f"# tid {wait['tid']} {wait['comm']}: strace {truth}, trace {what_we_say(wait)}")
    print("\n".join(wrong[:10]))
    print(f"same {same} of {same + len(wrong)}, {kinds['pipe']} for pipes, {kinds['child']} for children")


if __name__ == "__main__":
    main()
