# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The recorders of waits that are compared, all system-wide, and how many waits each says it recorded."""

import os
import re
import resource
import shutil
import time

import process
import recorders
import settings

ATTACHED = ("anon_inode:bpf_link", "anon_inode:bpf-link", "anon_inode:bpf-raw-tracepoint")
ATTACH_SECONDS = 20


class WaitRecorder(recorders.Recorder):
    """Records waits, so there is no frequency."""

    def command(self, freq, path):
        if self.name.startswith("perf"):
            return ["perf", "record", "-q", "-a", "-g", "--no-bpf-event", *self.options, "-o", path]
        if self.name == "offcputime":   # prints its table to stdout when it is stopped
            return ["sh", "-c", 'exec "$@" >"$0"', path, "offcputime", *self.options, "86400"]
        if self.name == "empty":
            return [str(settings.WORKLOADS / "can_bpf"), "attach"]
        return [settings.RECORD, "--offcpu", "0", "--force", *self.options, "-o", path]


def ours(name, *options):
    return WaitRecorder("rwalker-" + name, " ".join(("rwalker-record --offcpu 0", *options)),
                        ("--embed", "none", *options))


SWITCHES = ("-e", "sched:sched_switch", "--buildid-mmap")
PLAIN, USER, WAKERS = ours("plain"), ours("user", "-u"), ours("wakers", "--wakers", "-u")
# If no wait is that long, none has a record and all are summed.
LONG = ("-m", "1000000")
SUMS, SUMS_USER = ours("sums", *LONG), ours("sums-user", *LONG, "-u")
SUMS_WAKERS = ours("sums-wakers", *LONG, "--wakers", "-u")
DWARF = ours("dwarf", "--dwarf")
ALL, ALL_USER = ours("all", "-m", "0"), ours("all-user", "-m", "0", "-u")
PERF = WaitRecorder("perf-switch", "perf record -e sched:sched_switch -g", SWITCHES)
PERF_Z = WaitRecorder("perf-switch-z", "perf record -e sched:sched_switch -g -z", (*SWITCHES, "-z"))
EMPTY = WaitRecorder("empty", "an empty program on sched_switch", ())
PEER = WaitRecorder("offcputime", "offcputime -m 1000 (libbpf-tools)", ("-m", "1000"))


def peers():
    return (PEER,) if shutil.which("offcputime") else ()


def open_files(pid):
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            yield os.readlink(f"/proc/{pid}/fd/{fd}")
        except OSError:
            pass


class Session(recorders.Session):
    """As for all recorders; offcputime does not say when it is ready, but holds a BPF link from then on."""

    def __init__(self, recorder, settle=recorders.SETTLE_SECONDS):
        super().__init__(recorder, 0, settle)
        until = time.monotonic() + ATTACH_SECONDS
        while recorder is PEER and not any(name.startswith(ATTACHED) for name in open_files(self.pid)):
            if time.monotonic() > until:
                raise SystemExit(f"bench: '{recorder.label}' has not begun after {ATTACH_SECONDS} s: {self.message()}")
            time.sleep(0.1)
        self.begun = process.cpu_seconds(self.pid)

    def spent(self):
        """CPU seconds used since it was ready."""
        return process.cpu_seconds(self.pid) - self.begun

    def end(self):
        """Stops it; returns the CPU seconds it needed for that: to write, or to name the functions in a table."""
        def reaped():
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            return usage.ru_utime + usage.ru_stime
        spent, before = process.cpu_seconds(self.pid), reaped()
        self.stop()
        return max(0.0, reaped() - before - spent)


# --- what was recorded ----------------------------------------------------------------------------

def said_by_us(session):
    """(waits, lost) of the recorder's last line."""
    found = re.search(r"([\d,]+) waits, ([\d,]+) lost", session.message())
    if not found:
        raise SystemExit(f"bench: '{session.recorder.label}' does not say what it recorded: {session.message()}")
    return tuple(int(number.replace(",", "")) for number in found.groups())


def stacks_of_peer(session):
    """offcputime keeps sums only: how many, each two lines below its stack; none means that it failed."""
    with open(session.path, encoding="utf-8", errors="replace") as table:
        stacks = len(re.findall(r"^ +-  .*\(\d+\)\n\s+\d+$", table.read(), re.M))
    if not stacks:
        raise SystemExit(f"bench: '{session.recorder.label}' recorded nothing: {session.message()}")
    return stacks


def contents(session):
    """What was recorded; events is None if unknown."""
    if session.recorder is EMPTY:
        return {"events": None, "lost": None, "bytes": 0}
    size = os.path.getsize(session.path)
    if session.recorder is PEER:
        return {"events": None, "lost": None, "bytes": size, "stacks": stacks_of_peer(session)}
    if session.recorder.name.startswith("perf"):
        held = recorders.perf_stats(session.path)
        if not held["samples"]:     # foreign BPF programs came or went, and perf 6.1 cannot read its own file
            return {"events": None, "lost": None, "bytes": size}
        return {"events": held["samples"], "lost": held["lost"], "bytes": size}
    waits, lost = said_by_us(session)
    return {"events": waits, "lost": lost, "bytes": size}
