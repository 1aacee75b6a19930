#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""callers_check.py waits TRACE TRUTH ROUNDS: compares the calls and objects of the waits of
tests/live/workloads/callers with what the workload prints. Verdicts as in objects_check.py. Only waits in a 32-bit call
may have an unknown object.

callers_check.py kworkers REPORT TRACE LOG ROUNDS: compares the functions that waits of kworkers are in with the
tracepoints workqueue_execute_start and _end of the same time, as tracefs prints them by CLOCK_MONOTONIC.
CALLERS_NO_LOOP=1: there is no loop device, but some kworkers waited."""
import collections, os, re, subprocess, sys

from objects_check import Trace, by_thread, members, verdict
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import rows as rows_of

COMPAT, IO_WORKER, BLOCK = "2", "5", "20"
LEAST = {"c-direct": 0, "c-flush": 0}  # ns; other waits end later than that
CALLED = re.compile(r"-(\d+) +\[\d+\].* (\d+)\.(\d{6}): workqueue_execute_(start|end): .*function ([^\s\[]+)")
SLACK = 20_000  # ns: the time in the log is in us, and clocks are adjusted

def judge(comm, context, call, kind, wanted, waits, rounds):
    own = [w for w in waits if w["wait_class"] == "0" and int(w["length"]) >= LEAST.get(comm, 1_000_000)]
    # A worker of io_uring makes no calls: it always waits in its own context.
    there = [w for w in own if w["call"] == str(int(call) * 8 + int(context))]
    known = [w for w in there if w["object"] != "0"]
    wrong = [w for w in known if w["for"]["kind"] != kind or any(w["for"].get(key) != value for key, value in wanted.items())]
    alien = [w for w in own if context == IO_WORKER and w["call"] not in (context, "0")]  # 0: its end was not seen
    if alien or len(own) - len(there) > 0.02 * len(own) and context == IO_WORKER:
        return f"{len(own) - len(there)} of {len(own)} are those of no worker, {len(alien)} in a call"
    if len(there) < 0.8 * rounds:
        return f"only {len(there)} of {len(own)} waits in {call}, not {rounds}"
    if wrong and not (kind == BLOCK and all(w["for"]["kind"] in ("18", "19") for w in wrong)):
        return f"{len(wrong)} of {len(there)} were for {wrong[0]['for']}, not {wanted}"
    if len(known) < 0.99 * len(there) and context not in (COMPAT, IO_WORKER):
        return f"{len(there) - len(known)} of {len(there)} have no object"
    print(f"# {comm}: {len(there)} waits, {len(known) - len(wrong)} objects")
    return ""

def check_waits(trace, truth, rounds):
    trace, threads = Trace(trace), by_thread(truth)
    (process,), = threads.pop(("process",))
    trace.waits = [wait for wait in trace.waits if wait["waiter"]["tgid"] == process]  # other tests have such threads, too
    for (comm, *_), lines in threads.items():
        if lines[0] == ["missing"]:
            print(f"# {comm}: this machine has none")
            continue
        (context, call, kind, *wanted), = lines
        verdict(comm, judge(comm, context, call, kind, members(wanted), trace.waits_of(comm), int(rounds)))

def executions(log):
    """tid -> [(begin, end, function)], in time order."""
    done, begun = collections.defaultdict(list), {}
    with open(log, encoding="utf-8", errors="replace") as lines:
        for found in map(CALLED.search, lines):
            if not found:
                continue
            tid, time = int(found[1]), int(found[2]) * 10**9 + int(found[3]) * 1000
            if found[4] == "start":
                begun[tid] = time, found[5]
            elif tid in begun:
                begin, function = begun.pop(tid)
                done[tid].append((begin, time, function))
    return done

def wall_clock_of(report, path):
    """The wall clock when CLOCK_MONOTONIC was 0, from the trace, which may be of another machine."""
    run = subprocess.run([report, "--dump", path], capture_output=True, check=False)
    found = re.search(rb"^  clock time=(\d+).* realtime=(\d+)", run.stdout, re.M)
    return int(found[2]) - int(found[1])

def check_kworkers(report, path, log, rounds):
    done, counts, wrong, missed = executions(log), collections.Counter(), [], 0
    since_boot = wall_clock_of(report, path)
    for wait in rows_of.read(report, path, "--throughout", "--source", "offcpu"):
        if not wait["comm"].startswith("kworker/") or wait["class"] != "blocked" or wait["state"] not in ("S", "D"):
            continue
        middle = wait["realtime_ns"] - since_boot - wait["run_queue_ns"] - wait["blocked_ns"] // 2
        within = [function for begin, end, function in done[wait["tid"]] if begin - SLACK <= middle <= end + SLACK]
        if wait.get("object_kind") != "work":
            # Without a stack: the BPF programs did not see its end, and it was written later.
            missed += bool(within) and not wait.get("object_kind") and not wait["stack"].startswith("[Missed")
            continue
        if not within and (not done[wait["tid"]] or middle < done[wait["tid"]][0][0] or middle > done[wait["tid"]][-1][1]):
            continue  # outside the time that the log covers
        counts[wait["object_name"]] += 1
        if wait["object_name"] not in within:
            wrong.append(f"{wait['comm']} {wait['tid']} in {wait['object_name']}, not in {within}")
    total = sum(counts.values())
    print(f"# kworkers: {total} waits in a function, {dict(counts.most_common(5))}; {missed} more without one")
    verdict("functions of kworkers", f"{len(wrong)} of {total}: {wrong[0]}" if wrong else "")
    loop = sum(count for function, count in counts.items() if function.startswith("loop_"))
    if os.environ.get("CALLERS_NO_LOOP"):
        verdict("there are some", "" if total else "no wait in a function")
    else:
        verdict("those of a loop device", f"{loop} waits, not {rounds}" if loop < 0.5 * int(rounds) else "")
    verdict("all of them have functions", f"{missed} have none, {total} do" if missed > 0.02 * total else "")

{"waits": check_waits, "kworkers": check_kworkers}[sys.argv[1]](*sys.argv[2:])
