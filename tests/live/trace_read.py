# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Shared by the checkers of what tasks wait for: a trace as tests/rwk_dump.py reads it, the lines of a workload's truth, and one
verdict for each thread, "yes WHAT" or "no WHAT: WHY"."""
import collections
import os
import re
import subprocess
import sys

X86 = os.environ.get("MACHINE", os.uname().machine) == "x86_64"  # MACHINE: where the trace was recorded


class Trace:
    """Records are dicts of their fields, as text. objects: by number, with the fields of their names. waits, rows:
    waits and rows of walks, in which `waiter` and `holder` are tasks (tid "0": none) and `for` is the object (kind
    "0": none). sums have a waiter, too."""

    def __init__(self, path):
        self.objects = collections.defaultdict(dict, {"0": {"kind": "0"}})
        self.waits, self.rows, self.sums = [], [], []
        dump = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "rwk_dump.py")
        tasks = []
        with subprocess.Popen([sys.executable, "-B", dump, path], stdout=subprocess.PIPE, text=True, errors="replace") as lines:
            for line in lines.stdout:
                word = line.split(None, 1)[0] if line.strip() else ""
                if word == "chunk":
                    tasks = [{"tid": "0", "comm": ""}]
                elif word == "task":
                    tasks.append(fields(line))
                elif word in ("object", "object-name"):
                    self.objects[fields(line)["number"]].update(fields(line))
                elif word in ("wait", "walk-task"):
                    (self.waits if word == "wait" else self.rows).append(self.joined(fields(line), tasks))
                elif word == "wait-sums":
                    self.sums.append(dict(fields(line), waiter=tasks[int(fields(line)["task"])]))

    def joined(self, record, tasks):
        record.update(waiter=tasks[int(record["task"])], holder=tasks[int(record.get("owner", "0"))])
        record["for"] = self.objects[record["object"]]
        return record

    def waits_of(self, comm):
        """The thread's waits, in file order."""
        return [wait for wait in self.waits if wait["waiter"]["comm"] == comm]


def fields(line):
    return {key: value.strip('"') for key, value in re.findall(r'(\w+)=("[^"]*"|\S+)', line)}


def call_of(number):
    """As a record has it; 0 is no call."""
    return str(number * 8 + 1)


def by_thread(truth, words=1):
    """The lines of the truth that begin with the same words, a comm first, in their order: their other words, by these."""
    threads = collections.OrderedDict()
    with open(truth, encoding="utf-8") as lines:
        for line in lines:
            first, rest = line.split()[:words], line.split()[words:]
            threads.setdefault(tuple(first), []).append(rest)
    return threads


def members(words):
    """MEMBER=VALUE... as a dict."""
    return dict(word.split("=", 1) for word in words)


def verdict(comm, why):
    """why: "" if all is as it should be."""
    print(f"no {comm}: {comm}: {why}" if why else f"yes {comm}")
