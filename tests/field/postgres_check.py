#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""postgres_check.py locks|blocked|syncs|clients REPORT TRACE TRUTH [FOLDER]: compares the trace with what PostgreSQL reports. Verdicts as in tests/live."""
import collections
import os
import re
import sys

for folder in ("..", "../live"):
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), folder))
import rows as rows_of  # noqa: E402
import waits_trace as wt  # noqa: E402
from waited_for import connection, waits  # noqa: E402


def verdict(good, what, why=""):
    print("yes " + what if good else "no %s: %s" % (what, why))


# --- row locks ---------------------------------------------------------------------------------------------------------


def read_locks(path):
    truth = {"asked": {}, "blocked": [], "passing": [], "given": []}
    with open(path, encoding="ascii") as lines:
        for line in lines:
            word, pid, *rest = line.split()
            if word == "asked":
                truth["asked"][int(pid)] = int(rest[0])
            elif word in ("blocked", "passing"):
                truth[word].append((int(pid), int(rest[0]), {int(p) for p in rest[1].split(",")}))
            elif word == "given":
                truth["given"].append((int(pid), int(rest[0]), int(rest[1])))
    return truth


def wait_at(trace, pid, time):
    """The wait that the backend was in at that time."""
    return next((wait for wait in trace.by_tid.get(pid, []) if wait.begin <= time < wait.end), None)


def check_queue(trace, truth):
    """Each blocked backend waits, and the process that ends the wait is one of its blockers according to PostgreSQL."""
    wakers = {}
    for pid, time, _ in truth["blocked"]:
        wait = wait_at(trace, pid, time)
        verdict(wait is not None, "a blocked backend waits", "%d at %d does not" % (pid, time))
        if wait:
            wakers[pid, wait.end] = wait.waker.tgid
    named = {}
    for pid, time, pids in truth["blocked"] + truth["passing"]:
        wait = wait_at(trace, pid, time)
        if wait:
            named.setdefault((pid, wait.end), set()).update(pids)
    for key, waker in wakers.items():
        verdict(waker in named[key], "who ended the wait was in its way", "%s by %d, not by %s" % (key, waker, named[key]))


def check_lengths(trace, truth):
    """The wait at the head of the queue begins when the query was sent, even if that was before the recording."""
    first, giver, end = truth["given"][0]
    wait = wait_at(trace, first, truth["blocked"][0][1])
    if not wait:
        return
    late = wait.begin - truth["asked"][first]
    known = not wait.flags & wt.OUT_LATEST  # else it began then at the latest
    verdict(0 <= late and (late < 100_000_000 or not known), "it began when it was asked for", "%.3f ms after" % (late / 1e6))
    verdict(bool(wait.flags & wt.BEGAN_BEFORE) or wait.begin >= trace.start, "it is marked as one that began before", hex(wait.flags))
    verdict(wait.end <= end, "it ended before its answer was read", "%d after" % (wait.end - end))
    verdict(wait.waker.tgid == giver, "the idle holder's commit ended it", "it was %d" % wait.waker.tgid)


def check_chains(report, path, truth):
    last = truth["given"][-1][0]
    text = wt.view(report, path, "--chains=%d" % last)
    verdict("postgres" in text, "--chains follows the last of the queue", text[:300])


def check_objects(report, path, truth):
    """A backend in the queue waits for its latch, a signal that the one before it sends: the lock is not in the
    kernel."""
    blocked = {pid for pid, _, _ in truth["blocked"]}
    own = [wait for wait in waits(report, path) if wait.pid in blocked]
    latched = [wait for wait in own if re.match(r"on epoll \d+ of .* (→|->) fd \d+, signalfd", wait.text)]
    print("# figure: PostgreSQL: %d waits of %d queueing backends, %d of them for their latch" % (len(own), len(blocked), len(latched)))
    verdict({wait.pid for wait in latched} == blocked, "a backend in the queue waits for its latch", str([wait.text for wait in own][:4]))


def check_locks(report, path, truth_path):
    trace, truth = wt.Trace(report, path), read_locks(truth_path)
    verdict(len(truth["given"]) == 3 and len(truth["blocked"]) >= 9, "PostgreSQL told its queue", str(truth))
    check_queue(trace, truth)
    check_lengths(trace, truth)
    check_chains(report, path, truth)
    check_objects(report, path, truth)


# --- syncs -------------------------------------------------------------------------------------------------------------


def count_syncs(report, path, folder):
    """Number of fdatasync calls in which backends that wait for files of the log waited: between calls, a backend
    waits for its client or a CPU."""
    waits = rows_of.read(report, path, "--throughout", "--source", "offcpu", "-c", "^postgres$")
    own = {wait["tid"] for wait in waits if (wait.get("object_name") or "").startswith(folder + "/data/pg_wal/")}
    count, before = 0, collections.defaultdict(bool)
    for wait in sorted(waits, key=lambda wait: wait["realtime_ns"]):
        syncs = "sys_fdatasync" in wait["stack"]
        count += syncs and not before[wait["tid"]] and wait["tid"] in own
        before[wait["tid"]] = syncs
    return count


def check_syncs(report, path, truth_path, folder):
    """pg_stat_wal counts from before the call to after it: the waits in between, and some CPU time. folder: has this
    server's files."""
    with open(truth_path, encoding="ascii") as lines:
        _, count, us = lines.read().split()
    count, us = int(count), float(us)
    ours = sum(weight for _, frames, weight in wt.folded(report, path, "-c", "^postgres$", "--on", folder)
               if any(re.match(r"(issue_xlog_fsync|__?x64_sys_fdatasync|.*do_fsync)", frame) for frame in frames))
    print("# figure: PostgreSQL: %d syncs of the log took %.1f ms by pg_stat_wal; %.1f ms of them were waits" % (count, us / 1e3, ours / 1e3))
    waited = count_syncs(report, path, folder)
    print("# figure: PostgreSQL: %d syncs of the log by pg_stat_wal, %d by waits for its files" % (count, waited))
    verdict(count >= 100, "there were syncs", str(count))
    verdict(0.95 * count <= waited <= count, "as many waits for files of the log", "%d, not %d" % (waited, count))
    verdict(ours <= us * 1.02, "the waits are no longer than the syncs", "%.0f us of %.0f us" % (ours, us))
    verdict(ours >= us * 0.5, "a sync is mostly waiting", "%.0f us of %.0f us" % (ours, us))


# --- clients -----------------------------------------------------------------------------------------------------------


def check_tcp(report, path, port, psql, backend, client_port):
    """Each side waits for its own end, and who has the other one is known."""
    for role, pid, ends, peer in (("psql", psql, (client_port, port), backend), ("backend", backend, (port, client_port), psql)):
        own = [to for to in (connection(wait.text) for wait in waits(report, path) if wait.pid == pid) if to]
        right = [to for to in own if (to.port, to.peer_port) == ends and to.peer in (None, peer)]
        joined = sum(1 for to in own if to.peer == peer)
        print("# figure: PostgreSQL: %s by TCP: %d waits, %d for its end of the connection, %d with the other's process" %
              (role, len(own), len(right), joined))
        verdict(len(own) >= 40, role + " waits for its connection", str(len(own)))
        verdict(len(right) == len(own), role + ": ports and processes", str([to for to in own if to not in right][:1]))
        verdict(joined >= 0.95 * len(own), role + ": the other end is known", "%d of %d" % (joined, len(own)))


def check_unix(report, path, psql, backend):
    for role, pid, peer in (("psql", psql, backend), ("backend", backend, psql)):
        own = [wait.text for wait in waits(report, path) if wait.pid == pid and re.search(r"\bunix\b", wait.text)]
        named = [re.search(r"at its other end .* (\d+)(?: and \d+ others?)?\)", text) for text in own]
        wrong = [text for text, found in zip(own, named) if found and int(found.group(1)) != peer]
        joined = sum(1 for found in named if found and int(found.group(1)) == peer)
        print("# figure: PostgreSQL: %s by its unix socket: %d waits, %d with the other's process" % (role, len(own), joined))
        verdict(len(own) >= 40, role + " waits for its unix socket", str(len(own)))
        verdict(not wrong, role + ": nobody else is at the other end of it", str(wrong[:1]))
        verdict(joined >= 0.95 * len(own), role + ": the other end of it is known", "%d of %d, not %s" % (joined, len(own), own[:1]))


def check_clients(report, path, truth_path):
    with open(truth_path, encoding="ascii") as lines:
        clients = {kind: [int(number) for number in numbers] for _, kind, *numbers in (line.split() for line in lines)}
    verdict(set(clients) == {"tcp", "unix"} and clients["unix"][2] == -1, "PostgreSQL tells its clients", str(clients))
    check_tcp(report, path, int(os.environ["PGPORT"]), *clients["tcp"])
    check_unix(report, path, *clients["unix"][:2])


{"locks": check_locks, "syncs": check_syncs, "clients": check_clients}[sys.argv[1]](*sys.argv[2:])
