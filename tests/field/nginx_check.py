#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""nginx_check.py REPORT TRACE TRUTH: compares the processes at both ends of the connections that threads waited for
with the output of `ss` and redis. Verdicts as in tests/live."""
import collections
import re
import sys

from waited_for import connection, waits

UNIX_PEER = re.compile(r"\bunix\b.* \(at its other end .* (\d+)\)")


def read_truth(path):
    """{(port, peer port): pid}, {(inode, peer inode): pid}, the pid of redis, its clients' ports, the pid of the clients' program."""
    owners, unix, clients, redis, asker = {}, {}, set(), 0, 0
    with open(path, encoding="ascii") as lines:
        for word, *rest in (line.split() for line in lines):
            numbers = [int(number) for number in rest]
            if word == "owner":
                owners[numbers[0], numbers[1]] = numbers[2]
            elif word == "unix":
                unix[numbers[0], numbers[1]] = numbers[2]
            elif word == "client":
                clients.add(numbers[0])
            elif word == "redis":
                redis = numbers[0]
            else:
                asker = numbers[0]
    return owners, unix, redis, clients, asker


def verdict(good, what, why=""):
    print("yes " + what if good else "no %s: %s" % (what, why))


def judge(role, pid, found, owners):
    """Each connection belongs to that process, and the process at its other end has the other socket."""
    own = [(wait, to) for wait, to in found if wait.pid == pid]
    alien = [wait.text for wait, to in own if owners.get((to.port, to.peer_port)) != pid]
    wrong = [wait.text for wait, to in own if to.peer and owners.get((to.peer_port, to.port)) != to.peer]
    joined = sum(1 for _, to in own if to.peer)
    print("# figure: %s: %d waits for connections, %d with who was at the other end, %d wrong" % (role, len(own), joined, len(wrong)))
    verdict(len(own) >= 100, role + " waits for connections", str(len(own)))
    verdict(not alien, role + " waits for its own connections", "%d, as %s" % (len(alien), alien[:1]))
    verdict(not wrong, role + ": who is at the other end", "%d, as %s" % (len(wrong), wrong[:1]))
    verdict(joined >= 0.95 * len(own), role + ": the ends are joined", "%d of %d, not %s" % (joined, len(own),
            [wait.text for wait, to in own if not to.peer][:1]))


def judge_unix(everybody, unix):
    """Each end of the connection belongs to its own process, and its other end to the other process."""
    verdict(len(unix) == 2, "there is one connection by unix sockets", str(unix))
    for (inode, peer_inode), pid in unix.items():
        texts = [wait.text for wait in everybody if wait.pid == pid and re.search(r"\bunix\b", wait.text)]
        named = [(text, UNIX_PEER.search(text)) for text in texts]
        wrong = [text for text, found in named if found and int(found.group(1)) != unix.get((peer_inode, inode))]
        joined = sum(1 for _, found in named if found)
        print("# figure: %d by its unix socket: %d waits, %d with who was at the other end, %d wrong" % (pid, len(texts), joined, len(wrong)))
        verdict(len(texts) >= 20, "waits for its unix socket", str(len(texts)))
        verdict(not wrong, "who is at the other end of it", "%d, as %s" % (len(wrong), wrong[:1]))
        verdict(joined >= 0.95 * len(texts), "the ends of it are joined", "%d of %d, not %s" % (joined, len(texts), texts[:1]))


def main():
    report, trace, truth = sys.argv[1:]
    owners, unix, redis, clients, asker = read_truth(truth)
    everybody = waits(report, trace)
    found = [(wait, connection(wait.text)) for wait in everybody]
    found = [(wait, to) for wait, to in found if to and (to.port, to.peer_port) in owners]
    proxies = {pid for (port, _), pid in owners.items() if port in clients}
    verdict(len(proxies) == 1 and redis and asker, "there are three programs", "%s %s %s" % (proxies, redis, asker))
    for role, pid in (("client", asker), ("nginx", *proxies), ("redis", redis)):
        judge(role, pid, found, owners)
    judge_unix(everybody, unix)
    heard = collections.Counter(to.peer_port for wait, to in found if wait.pid == redis)
    verdict(set(heard) == clients, "redis waits for each of its clients", "%s, not %s" % (dict(heard), clients))


main()
