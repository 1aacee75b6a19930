# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The objects of a trace's waits, as reports print them."""
import collections
import json
import re
import subprocess

Wait = collections.namedtuple("Wait", "pid tid begin length text")  # us; text: "in read of pipe:4711 (written by cc1 4712)"
Connection = collections.namedtuple("Connection", "port peer_port comm peer")  # peer: the process at the other end; None

TCP = re.compile(r"\btcp [\d.]+:(\d+) (?:→|->) [\d.]+:(\d+)(?:, fd \d+)?(?: \(at its other end (.*) (\d+)( and \d+ others?)?\))?")


def waits(report, trace, *options):
    """All recorded waits of more than a millisecond that have an object, including those of idle threads."""
    run = subprocess.run([report, "--no-cache", "--throughout", "--export", "chrome", "--source", "offcpu", *options, trace],
                         capture_output=True, check=False)
    if run.returncode not in (0, 3):
        raise SystemExit("the reporter failed: " + run.stderr.decode())
    events = json.loads(run.stdout)
    events = events["traceEvents"] if isinstance(events, dict) else events
    return [Wait(event["pid"], event["tid"], event["ts"], event["dur"], event["args"]["waited_for"]) for event in events
            if event.get("cat") == "wait" and event.get("args", {}).get("waited_for")]


def connection(text):
    """The connection of a wait for TCP; None for other waits."""
    found = TCP.search(text)
    if not found:
        return None
    port, peer_port, comm, peer, others = found.groups()
    return Connection(int(port), int(peer_port), comm, int(peer) if peer and not others else None)
