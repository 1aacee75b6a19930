#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""stop_writer.py RECORDER FOLDER: requests dumps from a recorder with --flight until it has stopped a process in the
middle of writing one, with the unfinished file open. Prints its pid. It must be fast, because a dump takes
milliseconds."""
import os
import signal
import sys
import time

SECONDS = 60

def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return set(map(int, file.read().split()))

def dumps():
    return sum(name.startswith("dump-") for name in os.listdir(folder))

def is_stopped_writing(pid):
    try:
        os.kill(pid, signal.SIGSTOP)
        files = [os.readlink(f"/proc/{pid}/fd/{name}") for name in os.listdir(f"/proc/{pid}/fd")]
        if any(path.startswith(f"{folder}/.dump.") for path in files):
            return True
        os.kill(pid, signal.SIGCONT)
    except OSError:  # it has ended
        pass
    return False

recorder, folder = int(sys.argv[1]), os.path.realpath(sys.argv[2])
others, end = children(recorder), time.monotonic() + SECONDS
while time.monotonic() < end:
    before = dumps()
    os.kill(recorder, signal.SIGUSR2)
    while time.monotonic() < end and dumps() == before:
        for child in children(recorder) - others:
            if is_stopped_writing(child):
                print(child)
                sys.exit(0)
sys.exit(1)
