#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""asleep_check.py TRACE TRUTH: what the threads of tests/live/workloads/asleep sleep for, as tests/rwk_dump.py reads the walk,
against what the workload says. One line a thread: "yes WHAT" or "no WHAT: WHY"."""
import collections, os, re, subprocess, sys

CALLS = {"read": 0, "write": 1, "poll": 7, "recvfrom": 45, "epoll_wait": 232, "futex": 202, "wait4": 61, "clock_nanosleep": 230,
         "flock": 73, "unlinkat": 263} if os.uname().machine == "x86_64" else {
         "read": 63, "write": 64, "poll": 73, "recvfrom": 207, "epoll_wait": 22, "futex": 98, "wait4": 260,
         "clock_nanosleep": 115, "flock": 32, "unlinkat": 35}
READS, RT_MUTEX = 0x8000, "4"
RT = os.environ.get("LOCKS_RT")  # all locks are rt_mutexes; readers have none

def fields(line):
    return {key: value.strip('"') for key, value in re.findall(r'(\w+)=("[^"]*"|\S+)', line)}

def read_trace(path):
    """Objects by number; rows, each with its thread's comm and its owner's tid."""
    dump = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "rwk_dump.py")
    objects, tasks, rows = collections.defaultdict(dict), [{}], []
    for line in subprocess.run([sys.executable, "-B", dump, path], stdout=subprocess.PIPE, text=True, errors="replace").stdout.split("\n"):
        word = line.split(None, 1)[0] if line.strip() else ""
        if word == "chunk":
            tasks = [{"tid": "0"}]
        elif word == "task":
            tasks.append(fields(line))
        elif word in ("object", "object-name"):
            objects[fields(line)["number"]].update(fields(line))
        elif word == "walk-task":
            row = fields(line)
            rows.append(dict(row, comm=tasks[int(row["task"])]["comm"], holder=tasks[int(row["owner"])]["tid"]))
    return objects, rows

def is_right(key, value, row, found):
    if key == "asked":  # less the time until it was asleep; unknown if it is not known when that was
        return 0.98 * int(value) < int(row["asked"]) <= int(value) if row["bound"] == "1" else row["asked"] == "0"
    if key == "lock" and RT:
        return found.get("lock") == RT_MUTEX
    if key in ("owner", "reader"):
        return row["holder"] == value and bool(int(row["flags"], 16) & READS) == (key == "reader")
    return found.get(key) == value

def judge(call, kind, wanted, rows, objects):
    if len(rows) != 1:
        return f"walked {len(rows)} times"
    row, found = rows[0], objects[rows[0]["object"]]
    if RT and "reader" in wanted and row["object"] == "0":
        return ""
    if int(row["call"]) != CALLS[call] * 8 + 1:
        return f"call {row['call']}, not {call}"
    if found.get("kind", "0") != kind:
        return f"for {found}, not of kind {kind}"
    wrong = [key for key in wanted if not is_right(key, wanted[key], row, found)]
    return f"{wrong}: {row} for {found}, not {wanted}" if wrong else ""

def main(trace, truth):
    objects, rows = read_trace(trace)
    for line in open(truth):
        comm, *rest = line.split()
        if not rest:
            continue
        call, kind, *members = rest
        wanted = dict(member.split("=", 1) for member in members)
        why = judge(call, kind, wanted, [row for row in rows if row["comm"] == comm], objects)
        print(f"no {comm}: {why}" if why else f"yes {comm}")

main(*sys.argv[1:])
