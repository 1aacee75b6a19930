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


def dumps(folder):
    return sum(name.startswith("dump-") for name in os.listdir(folder))


def writes(pid, folder):
    directory = f"/proc/{pid}/fd"
    for name in os.listdir(directory):
        try:
            if os.readlink(f"{directory}/{name}").startswith(f"{folder}/.dump."):
                return True
        except FileNotFoundError:
            pass
    return False


def is_stopped_writing(pid, folder):
    try:
        os.kill(pid, signal.SIGSTOP)
        if writes(pid, folder):
            return True
        os.kill(pid, signal.SIGCONT)
    except (ProcessLookupError, FileNotFoundError, PermissionError):
        pass
    return False


def stop_one(recorder, folder, others, end):
    before = dumps(folder)
    os.kill(recorder, signal.SIGUSR2)
    while time.monotonic() < end and dumps(folder) == before:
        for pid in children(recorder) - others:
            if is_stopped_writing(pid, folder):
                return pid
    return None


def main():
    recorder, folder = int(sys.argv[1]), os.path.realpath(sys.argv[2])
    others, end = children(recorder), time.monotonic() + SECONDS
    while time.monotonic() < end:
        pid = stop_one(recorder, folder, others, end)
        if pid:
            print(pid)
            return 0
    return 1


sys.exit(main())
