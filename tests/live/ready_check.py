#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""ready_check.py TRACE TRUTH ROUNDS: which descriptor ended the waits of tests/live/workloads/ready, as tests/rwk_dump.py reads
the trace, against what the calls returned. One line a thread: "yes WHAT" or "no WHAT: WHY". What was ready may be unknown in one of
twenty waits, but never another one. A descriptor that was given to another file meanwhile must be unknown, the file must not."""
import collections, os, re, subprocess, sys

CALLS = {"epoll": (232, 281), "poll": (7, 271), "select": (23, 270)} if os.uname().machine == "x86_64" else {
         "epoll": (22,), "poll": (73,), "select": (72,)}
EVENTFD = "8"

def fields(line):
    return {key: value.strip('"') for key, value in re.findall(r'(\w+)=("[^"]*"|\S+)', line)}

def read_trace(path):
    """Objects by number; waits of each comm in their order."""
    dump = os.path.join(os.path.dirname(__file__), "..", "rwk_dump.py")
    objects, tasks, waits = {}, [], collections.defaultdict(list)
    for line in subprocess.run([sys.executable, "-B", dump, path], stdout=subprocess.PIPE, text=True, errors="replace").stdout.split("\n"):
        word = line.split(None, 1)[0] if line.strip() else ""
        if word == "chunk":
            tasks = []
        elif word == "task":
            tasks.append(fields(line)["comm"])
        elif word == "object":
            objects[fields(line)["number"]] = fields(line)
        elif word == "wait":
            wait = fields(line)
            waits[tasks[int(wait["task"]) - 1]].append(wait)
    return objects, waits

def last_wait(comm, since, until, waits):
    """The one that ended last while the call was made; None: it was too short for a record."""
    calls = [str(call * 8 + 1) for call in CALLS[comm.split("-")[1]]]
    found = [w for w in waits[comm] if since < int(w["time"]) <= until and w["call"] in calls and w["wait_class"] == "0"]
    return found[-1] if found else None

def is_right(wait, found, descriptor, kind, inode, swapped):
    number = int(wait.get("ready", "0"))
    if descriptor < 0:
        return not found and not number
    if number and (swapped or number != descriptor + 1):
        return False
    if not found:
        return not number
    if kind == EVENTFD and found["descriptor"] != ("0" if swapped else str(descriptor + 1)):
        return False
    return found["kind"] == kind and (kind == EVENTFD or found["inode"] == inode)

def judge(comm, lines, waits, objects, rounds):
    since, told, known, numbers = 0, 0, 0, 0
    for time, descriptor, kind, inode in lines:
        wait = last_wait(comm, since, int(time), waits)
        since = int(time)
        if not wait:
            continue
        found = objects.get(wait.get("ready_object", "0"))
        if not is_right(wait, found, int(descriptor), kind, inode, comm.endswith("-swap")):
            return f"not {descriptor}, kind {kind}, inode {inode}: {wait} {found}"
        told, known, numbers = told + 1, known + bool(found), numbers + (wait.get("ready", "0") != "0")
    if told < 0.9 * rounds:
        return f"only {told} waits, not {rounds}"
    if not comm.endswith("-time") and known < 0.95 * told:
        return f"only {known} of {told} waits say what was ready"
    if not comm.endswith(("-time", "-swap")) and numbers < 0.95 * told:
        return f"only {numbers} of {told} waits say by which descriptor"
    print(f"# {comm}: {told} waits, {known} objects, {numbers} descriptors")
    return ""

def main(trace, truth, rounds):
    objects, waits = read_trace(trace)
    threads = collections.OrderedDict()
    for line in open(truth):
        comm, *rest = line.split()
        threads.setdefault(comm, []).append(rest)
    for comm, lines in threads.items():
        why = judge(comm, lines, waits, objects, int(rounds))
        print(f"no {comm}: {comm}: {why}" if why else f"yes {comm}")

main(*sys.argv[1:])
