# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Looking at a process from outside: its CPU time and its memory, children included."""

import os
import pathlib
import subprocess

TICK = os.sysconf("SC_CLK_TCK")
RINGS = ("anon_inode:[perf_event]", "anon_inode:bpf-map", "anon_inode:[bpf-map]")


def read(path):
    try:
        return pathlib.Path(path).read_text()
    except OSError:
        return ""


def children(pid):
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*"):
        found += [int(child) for child in read(task / "children").split()]
    return found


def family(pid):
    """The process and all of its living descendants."""
    everyone = [pid]
    for member in everyone:
        everyone += children(member)
    return everyone


def reaped_seconds(pid):
    """CPU time of children that have been waited for; in ticks, so only good to 10 ms."""
    fields = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return (int(fields[13]) + int(fields[14])) / TICK if fields else 0.0


def thread_seconds(pid):
    """CPU time of the living threads, from the scheduler's own nanoseconds."""
    total = 0
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*"):
        total += int((read(task / "schedstat").split() or [0])[0])
    return total / 1e9


def cpu_seconds(pid):
    return sum(thread_seconds(p) + reaped_seconds(p) for p in family(pid))


def memory_mib(pid):
    """(resident memory without the rings, memory of the rings) of the process and its children."""
    beside = rings = 0
    for member in family(pid):
        name = ""
        for line in read(f"/proc/{member}/smaps").splitlines():
            words = line.split()
            if "-" in words[0] and not words[0].endswith(":"):
                name = " ".join(words[5:])
            elif words[0] == "Rss:":
                if name.startswith(RINGS):
                    rings += int(words[1])
                else:
                    beside += int(words[1])
    return beside / 1024, rings / 1024


def cpu_of(command, given=None, out=None, fine=(0,)):
    """CPU seconds of a command that runs to completion, with its children. given, out: files for its input and its output
    (default: none); fine: the exit codes that are accepted."""
    words = [str(word) for word in command]
    with open(given or os.devnull, "rb") as source, open(out or os.devnull, "wb") as sink:
        with subprocess.Popen(words, stdin=source, stdout=sink, stderr=subprocess.DEVNULL) as work:
            _, status, usage = os.wait4(work.pid, 0)
            work.returncode = os.waitstatus_to_exitcode(status)
    if work.returncode not in fine:
        raise SystemExit(f"bench: '{' '.join(words)}' exited {work.returncode}")
    return usage.ru_utime + usage.ru_stime
