# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""waits_user_check.py REPORT TRACE TRUTH: checks that each wait of workloads/waits_user.c has the right user stack.
Prints "yes WHAT" or "no WHAT: WHY" for each."""
import collections
import os
import re
import sys

import waits_trace as wt

HIDES = os.environ.get("WAITS_HIDDEN") == "1"
Wait = collections.namedtuple("Wait", "comm kind frames")  # frames: functions, leaf first


def read_waits(report, trace):
    """The waits in --events -v, which prints a line for each frame after the line of its wait."""
    waits = []
    for line in wt.view(report, trace, "--events", "--throughout", "-v", "--source", "offcpu").splitlines():
        begun = re.match(r"[0-9.]+ +(\S+) +[0-9]+ +[0-9]+ +wait .*\((\w+)\)", line)
        frame = re.match(r"[0-9.]+ +.*? (?:ip|r[0-9]+): +[0-9a-f]+ (\S+)", line)
        if begun:
            waits.append(Wait(begun[1], begun[2], []))
        elif frame and waits:
            waits[-1].frames.append(frame[1])
    return waits


def read_truth(path):
    with open(path, encoding="utf-8") as lines:
        return [dict(re.findall(r"(\w+)=(\S+)", line)) for line in lines if line.startswith(("thread ", "ended "))]


def verdict(good, what, why):
    print("yes %s" % what if good else "no %s: %s" % (what, why))


def runs_through(wait, path):
    """Whether the stack has these functions, root first, in this order."""
    frames = iter(reversed(wait.frames))
    return all(function in frames for function in path)


def unseen(waits):
    """If the kernel hides threads, a switch from one of them is not seen, and that wait is recorded later, without
    stacks."""
    return [wait for wait in waits if HIDES and not wait.frames]


def check_path(waits, comm, path, count):
    mine = [wait for wait in waits if wait.comm == comm]
    good = [wait for wait in mine if wait.kind == "blocked" and runs_through(wait, path)]
    others = [(wait.kind, *wait.frames[-4:]) for wait in mine if wait not in good]
    verdict(len(good) >= count - len(unseen(waits)), "%s: waits on %s" % (comm, ";".join(path)),
            "%d, not %d; others are %s" % (len(good), count, others[:3]))


def goes_on(frames):
    """Whether the function that entered the kernel has a caller."""
    return frames and not re.match("entry_SYSCALL|asm_|ret_from_fork", frames[-1])


def check_there(waits, comms):
    """An exiting task has no user stack."""
    for comm in comms:
        mine = [wait for wait in waits if wait.comm == comm and wait.kind != "started"]
        mine = [wait for wait in mine if "do_exit" not in wait.frames and wait not in unseen(mine)]
        bare = [wait for wait in mine if not goes_on(wait.frames)]
        verdict(mine and not bare, "%s: its waits have user stacks" % comm,
                "%d of %d have none, such as %s" % (len(bare), len(mine), bare[:1]))


def check_depths(waits):
    for depth in 3, 40:
        mine = [wait for wait in waits if wait.comm == "deep-%d" % depth and "nap" in wait.frames]
        wrong = [wait for wait in mine if wait.frames.count("go_down") != depth]
        verdict(mine and not wrong, "%d calls deep" % depth, "%d of %d waits, such as %s" % (len(wrong), len(mine), wrong[:1]))


def main():
    report, trace, truth = sys.argv[1:]
    waits, threads = read_waits(report, trace), read_truth(truth)
    verdict(len(waits) > 50 and len(threads) == 11, "waits to judge", "%d waits, %d threads" % (len(waits), len(threads)))
    for thread in threads:
        if int(thread["count"]):
            check_path(waits, thread["comm"], thread["path"].split(";"), int(thread["count"]))
    rounds = [int(thread["count"]) for thread in threads if thread["comm"] == "handled"][0]
    check_path(waits, "handled", ["sleep_handled", "handler_sleeps", "nap"], rounds)
    check_depths(waits)
    spun = [wait for wait in waits if wait.comm.startswith("spun-") and wait.kind == "preempted" and "do_exit" not in wait.frames]
    spun = [wait for wait in spun if wait not in unseen(spun) and not any("entry_SYSCALL" in frame for frame in wait.frames)]
    bare = [wait for wait in spun if "waiter_main" not in wait.frames]
    verdict(spun and not bare, "preempted in no system call",
            "%d of %d waits have no stack, such as %s" % (len(bare), len(spun), bare[:1]))
    check_there(waits, [thread["comm"] for thread in threads if "tid" in thread])


main()
