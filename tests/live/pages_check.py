#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""pages_check.py TRACE TRUTH ROUNDS: for which pages of which files the threads of tests/live/workloads/pages waited, as
tests/rwk_dump.py reads the trace, against what the workload says. One line a thread: "yes WHAT" or "no WHAT: WHY". A page may be
unknown in one of twenty waits, but never another one. Of p-too, which waits when it comes too late, a few waits are enough."""
import collections, os, re, subprocess, sys

PAGE = "19"

def fields(line):
    return {key: value.strip('"') for key, value in re.findall(r'(\w+)=("[^"]*"|\S+)', line)}

def read_trace(path):
    """Objects by number; waits in D of each comm in their order."""
    dump = os.path.join(os.path.dirname(__file__), "..", "rwk_dump.py")
    objects, tasks, waits = collections.defaultdict(dict), [], collections.defaultdict(list)
    for line in subprocess.run([sys.executable, "-B", dump, path], stdout=subprocess.PIPE, text=True, errors="replace").stdout.split("\n"):
        word = line.split(None, 1)[0] if line.strip() else ""
        if word == "chunk":
            tasks = []
        elif word == "task":
            tasks.append(fields(line)["comm"])
        elif word in ("object", "object-name"):
            objects[fields(line)["number"]].update(fields(line))
        elif word == "wait" and int(fields(line)["state"], 16) & 2:
            waits[tasks[int(fields(line)["task"]) - 1]].append(fields(line))
    return objects, waits

def judge(comm, lines, waits, objects, rounds):
    since, told, known = 0, 0, 0
    for time, inode, page in lines:
        own = [w for w in waits[comm] if since < int(w["time"]) <= int(time) and int(w["flags"], 16) & 128]  # iowait
        pages = [w for w in own if objects[w["object"]].get("kind") == PAGE and objects[w["object"]]["inode"] != "0"]
        since, told, known = int(time), told + bool(own), known + bool(pages)
        for wait in pages:
            found = objects[wait["object"]]
            if found["inode"] != inode or int(wait["page"]) != int(page) + 1:
                return f"not page {page} of inode {inode}: {wait} {found}"
            if comm != "p-touch" and not found.get("path", "").endswith(".read"):
                return f"the file has another name: {found}"
    if told < (0.02 if comm == "p-too" else 0.5) * rounds:
        return f"only {told} waits for the disk, not {rounds}"
    if known < 0.95 * told:
        return f"only {known} of {told} waits say for which page"
    print(f"# {comm}: {told} waits, {known} pages")
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
