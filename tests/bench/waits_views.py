# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Every view of a trace with many waits, against perf's tools on its own file of the same run."""

import os
import re
import subprocess
import time

import settings
import stats
import waits_recorders as recorders
import waits_storm
from markdown import Table, verdict

WAITS = settings.setting("WAITS", 1000000, 100000)      # in the trace that is shown
PEER_PAIRS = settings.setting("WAITS_PEER_PAIRS", 3, 1)  # perf's tools take long
STEADY = 1000                                           # waits/s of more than 1 ms among them
MOST_MIB, TIMES_FASTER = 300, 10
ATTEMPTS = 4

OURS = recorders.WaitRecorder("rwalker-views", "", ("-m", "0", "--wakers", "-u", "--embed", "full"))
# One file for each tool: timehist of 6.1 names no functions if mapping records have build-ids; script aborts if they
# do not, because Linux then lets the build-ids that our recorder asks for corrupt perf's records (recorders.py).
EVENTS = ("-e", "sched:sched_switch", "-e", "sched:sched_waking", "-m", "8M")
TIMEHIST = recorders.WaitRecorder("perf-timehist", "perf sched timehist", (*EVENTS, "--no-buildid"))
SCRIPT = recorders.WaitRecorder("perf-script", "perf script", (*EVENTS, "--buildid-mmap"))


def views(middle):
    """(what, options): `middle` is a moment of the storm, in seconds of the recording."""
    return [(" ".join(options), options) for options in (
        ("--tree",), ("--stacks",), ("--folded",), ("--wakers",), ("--folded", "--wakers"), ("--top-waits",),
        ("--top-waits", "--raw"), ("--at", f"+{middle:.1f}s"), ("--chains",), ("--chains=sched-pipe",), ("--summary",))]


def tool(recorder, path):
    if recorder is TIMEHIST:
        return ["perf", "sched", "timehist", "-i", path]
    return ["perf", "script", "--no-inline", "-i", path]


def duration(path):
    info = subprocess.run([settings.REPORT, "--info", path], capture_output=True, text=True, check=True).stdout
    found = re.search(r"^ +recorded .* for ([\d.]+) s$", info, re.M)
    if not found:
        raise SystemExit("bench: rwalker-report --info does not say how long the recording was")
    return float(found.group(1))


def switches(path):
    """The waits in perf's file, each from one switch of a thread to the next. 0 if perf cannot read the file."""
    said = subprocess.run(["perf", "report", "-i", path, "--stats"], capture_output=True, text=True).stdout
    found = re.search(r"^sched:sched_switch stats:(?:\n +.*)*?\n +SAMPLE events: +(\d+)", said, re.M)
    return int(found.group(1)) if found else 0


def record_once():
    """Sessions of all recorders over one storm; perf starts last and stops first (reporting.py)."""
    place = waits_storm.PLACES[0]
    sessions = []
    try:
        for recorder in (OURS, TIMEHIST, SCRIPT):
            sessions.append(recorders.Session(recorder))
        with waits_storm.steady(place, STEADY, {}):
            waits_storm.storm(place, WAITS // 2)
    finally:
        for session in reversed(sessions):
            session.stop()
    return sessions


def record_all(say):
    """({recorder: its file}, {recorder: its waits}, how many ours lost), all of the same storm.

    If foreign BPF programs came or went meanwhile, perf 6.1 may be unable to read its own file.
    """
    for attempt in range(ATTEMPTS):
        say(f"views of waits: recording {WAITS} waits" + (", once more" if attempt else ""))
        sessions = record_once()
        waits, lost = recorders.said_by_us(sessions[0])
        counts = {OURS: waits, **{session.recorder: switches(session.path) for session in sessions[1:]}}
        if all(counts.values()):
            return {session.recorder: session.path for session in sessions}, counts, lost
    raise SystemExit(f"bench: perf cannot read any of the {ATTEMPTS} files that it recorded")


def timed(command):
    """(seconds, CPU seconds, peak MiB) of a command."""
    begun = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        _, status, usage = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
    if running.returncode not in (0, 3):
        raise SystemExit(f"bench: '{' '.join(command)}' exited {running.returncode}")
    return time.monotonic() - begun, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure(paths, say):
    """{what: [(seconds, CPU seconds, MiB), ...]} of each view, and of each tool of perf."""
    ours = paths[OURS]
    commands = {what: [settings.REPORT, *options, ours] for what, options in views(duration(ours) / 2)}
    results = {what: [] for what in (*commands, TIMEHIST.label, SCRIPT.label)}
    for number in range(settings.REPORT_PAIRS):
        say(f"views of waits, round {number + 1} of {settings.REPORT_PAIRS}")
        for what, command in commands.items():
            results[what].append(timed(command))
        for peer in (TIMEHIST, SCRIPT) if number < PEER_PAIRS else ():
            results[peer.label].append(timed(tool(peer, paths[peer])))
    return results


def column(results, what, index):
    return [result[index] for result in results[what]]


def row(table, results, what, events, *rest):
    took, cpu, peak = (column(results, what, index) for index in range(3))
    table.row(what, stats.estimate(took).text(), f"{stats.median(cpu):.3f}", f"{stats.median(took) / events * 1e9:.0f}",
              f"{max(peak):.1f}", *rest)


def view_rows(table, results, counts):
    """How many times as fast per event as the fastest run of perf's tool."""
    fastest = {peer.label: min(column(results, peer.label, 0)) / counts[peer] for peer in (TIMEHIST, SCRIPT)}
    for what in results:
        if what in fastest:
            continue
        peak = max(column(results, what, 2))
        ratios = {peer: stats.estimate([per_event * counts[OURS] / took for took in column(results, what, 0)])
                  for peer, per_event in fastest.items()}
        missed = [f"{peak:.0f} MiB"] if peak > MOST_MIB else []
        missed += [f"{ratio.median:.1f} times {peer}" for peer, ratio in ratios.items() if ratio.median < TIMES_FASTER]
        row(table, results, what, counts[OURS], *(ratio.text(1) for ratio in ratios.values()),
            verdict(not missed, ", ".join(missed)))


def mib(path):
    return os.path.getsize(path) >> 20


def run(report, say):
    paths, counts, lost = record_all(say)
    results = measure(paths, say)
    report.keep("waits-views", {"held": {recorder.name: count for recorder, count in counts.items()}, "lost": lost, **results})
    table = Table("view", "seconds", "CPU s", "ns per event", "peak MiB", "times as fast as timehist", "as script", "met")
    view_rows(table, results, counts)
    for peer in (TIMEHIST, SCRIPT):
        row(table, results, peer.label, counts[peer], "", "", "")
    report.heading("Views of waits", 3)
    report.text(
        f"The storm pinned, beside {STEADY} waits/s of more than 1 ms: {counts[OURS]} waits, {lost} lost, of rwalker-record "
        f"--offcpu 0 -m 0 --wakers -u ({mib(paths[OURS])} MiB), and the {counts[SCRIPT]} switches, and the wakeups, that perf "
        f"record -e sched:sched_switch -e sched:sched_waking -g saw in the same run ({mib(paths[SCRIPT])} MiB). Files in memory, "
        f"output thrown away; {settings.REPORT_PAIRS} rounds, {PEER_PAIRS} of perf's tools, of which the fastest counts. Peak "
        "memory is ru_maxrss, the largest of all rounds; it is never less than that of this script, some 20 MiB. "
        f"Target: at most {MOST_MIB} MiB, and at least {TIMES_FASTER} times as fast, by the wait, as perf is by the switch.")
    report.table(table)
