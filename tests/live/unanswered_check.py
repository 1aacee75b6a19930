#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""unanswered_check.py REPORT TRACE TRUTH: compares who is not idle, and whom chains lead to, with what
tests/live/workloads/unanswered says."""
import re
import subprocess
import sys

from judging import Judge

judge = Judge(sys.argv[1], sys.argv[2])


def view(*options):
    run = subprocess.run([judge.report, "-q", *options, judge.path], capture_output=True, text=True, check=False)
    return run.stdout.replace("->", "→")


with open(sys.argv[3], encoding="ascii") as truth:
    told = [line.split() for line in truth if " " in line]
situations = [name for _, name in told]
busy = set(re.findall(r" ([ask]-[a-z0-9]+) tid ", view("--summary")))
waits = view("--waits-on", "--idle")

for says, name in told:
    server, asks, keeps = ("%s-%s" % (role, name) for role in "sak")
    judge.equal(asks + " is not idle", asks in busy, says != "idle")
    judge.equal(server + " is not idle", server in busy, says == "owed")
    judge.equal(keeps + " is not idle", keeps in busy, False)
    if says == "idle":
        judge.verdict(not re.search(" %s .*has not answered" % server, waits), server + " owes nothing", waits)
        continue
    seen = re.search(r" %s +in .*\(at its other end %s [0-9]+\)" % (asks, server), waits)
    judge.verdict(seen, asks + " has a server", waits)
    if says == "owed":
        judge.verdict(re.search(r" %s .*, has not answered fd [0-9]+, .*\(at its other end %s [0-9]+\)" % (server, asks), waits),
                      server + " has not answered", waits)
        judge.verdict("unanswered by " + server in view("--chains=^%s$" % asks), asks + " has a chain", "")
judge.verdict(len(told) >= 13, "situations", situations)
judge.finish()
