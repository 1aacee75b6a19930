# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The cost of recording waits when hardly any is long enough to be recorded itself: system calls that never wait, hundreds of tasks
that wake each other, a thousand tasks whose state is in no cache; and while the recorder itself is stopped."""

import os
import random
import signal
from dataclasses import dataclass, field

import process
import recorders
import settings
import stats
import waits_recorders
from markdown import Table, verdict
from waits_recorders import ALL, ALL_USER, EMPTY, PEER, PERF, PLAIN, SUMS, SUMS_USER, SUMS_WAKERS, USER, WAKERS

CALLS = settings.setting("COST_CALLS", 10000000, 2000000)
GROUPS = settings.setting("COST_GROUPS", 12, 12)    # of 40 tasks
MESSAGES = settings.setting("COST_MESSAGES", 300, 50)
TASKS = settings.setting("COST_TASKS", 1000, 1000)
PASSES = settings.setting("COST_PASSES", 200000, 50000)
LOOPS = settings.setting("COST_LOOPS", 300000, 100000)
FREQ = settings.setting("COST_FREQ", 3989, 3989)
CPU = str(max(os.sched_getaffinity(0)))
ONE_CPU = ("taskset", "-c", CPU)
STORM = (*ONE_CPU, "perf", "bench", "sched", "pipe", "-l", str(LOOPS))


def beside(recorder, command):
    """The work while its waits are recorded."""
    session = waits_recorders.Session(recorder)
    try:
        result = {"cpu": process.cpu_of(command), "recorder": session.spent()}
    finally:
        session.end()
    return {**result, **waits_recorders.contents(session)}


def beside_stopped(recorder, command):
    """The work while the recorder is stopped and its rings are full: a first run of the work has filled them."""
    session = waits_recorders.Session(recorder)
    session.process.send_signal(signal.SIGSTOP)
    try:
        process.cpu_of(command)
        result = {"cpu": process.cpu_of(command), "recorder": session.spent()}
    finally:
        session.process.send_signal(signal.SIGCONT)
        session.end()
    held = waits_recorders.contents(session)
    if held["lost"] is not None and held["lost"] < held["events"]:
        raise SystemExit(f"bench: '{recorder.label}': the rings of a recorder that was stopped were not full: {held}")
    return {**result, **held}


def beside_sampling(recorder, command):
    """The work while the CPU is sampled."""
    session = recorders.Session(recorder, FREQ)
    try:
        result = {"cpu": process.cpu_of(command)}
    finally:
        session.stop()
    return {**result, "recorder": None, "events": None, "lost": None}


@dataclass(frozen=True)
class Section:
    """limits: of the ratio. margins: of its excess over the empty program's ratio. against: whose ratio it must not exceed."""
    key: str
    title: str
    text: str
    command: tuple
    compared: tuple
    measure: object = beside
    limits: dict = field(default_factory=dict)
    margins: dict = field(default_factory=dict)
    against: dict = field(default_factory=dict)
    sampling: tuple = ()
    loses: bool = False

    def everyone(self):
        here = [r for r in self.compared if r is not PEER or PEER in waits_recorders.peers()]
        return [None, *here, *self.sampling]

    def once(self, recorder):
        if recorder is None:
            return {"cpu": process.cpu_of(self.command)}
        return (beside_sampling if recorder in self.sampling else self.measure)(recorder, self.command)

    def rounds(self, say):
        order = self.everyone()
        results = {recorder: [] for recorder in order}
        shuffle = random.Random(5)
        for number in range(settings.PAIRS):
            say(f"{self.key}, round {number + 1} of {settings.PAIRS}")
            shuffle.shuffle(order)
            for recorder in order:
                results[recorder].append(self.once(recorder))
        return results

    def target(self, results, recorder):
        """(the target, the excess over another's ratio in the same rounds, whether it is met), as cells."""
        if recorder in self.limits:
            ratio, limit = ratio_of(results, recorder), self.limits[recorder]
            return f"<= {limit:.2f}", "", self.judge(results, recorder, ratio.median <= limit, f"{ratio.median:.3f}")
        if recorder in self.margins:
            above, limit = above_of(results, recorder, EMPTY), self.margins[recorder]
            return (f"<= {EMPTY.label} + {limit:.2f}", above.text(),
                    self.judge(results, recorder, above.median <= limit, f"{above.median:.3f} above"))
        if recorder in self.against:
            other = self.against[recorder]
            above = above_of(results, recorder, other)
            noise = ", within the noise" if above.low <= 0 else ""
            return (f"<= {other.label}", above.text(),
                    self.judge(results, recorder, above.median <= 0, f"{above.median:.3f} above{noise}"))
        return "", "", ""

    def judge(self, results, recorder, met, by):
        """A lost event costs nothing, so a recorder that lost events misses its target, unless losing is what is measured."""
        lost = 0 if self.loses else total(results, recorder, "lost") or 0
        return verdict(met and not lost, by + (f", {lost} lost" if lost else ""))

    def run(self, report, say):
        results = self.rounds(say)
        report.keep(f"cost-{self.key}", {r.name if r else "alone": values for r, values in results.items()})
        table = Table("recorder", "work's CPU time", "recorder CPU s", "events", "lost", "target", "above the other's", "met")
        for recorder in self.everyone()[1:]:
            table.row(recorder.label, ratio_of(results, recorder).text(), middle(results, recorder, "recorder"),
                      total(results, recorder, "events"), total(results, recorder, "lost"), *self.target(results, recorder))
        report.heading(self.title, 3)
        report.text(self.text + " CPU time of the work and its children while it is recorded, divided by that alone in the same round.")
        report.table(table)


def column(results, recorder, key):
    return [result[key] for result in results[recorder]]


def ratio_of(results, recorder):
    return stats.estimate(stats.ratios(column(results, recorder, "cpu"), column(results, None, "cpu")))


def above_of(results, recorder, other):
    """By how much its ratio exceeds the other's, in the same rounds."""
    return stats.estimate([(mine - theirs) / alone for mine, theirs, alone in
                           zip(*(column(results, who, "cpu") for who in (recorder, other, None)))])


def middle(results, recorder, key):
    values = column(results, recorder, key)
    return "" if None in values else f"{stats.median(values):.3f}"


def total(results, recorder, key):
    values = column(results, recorder, key)
    return "" if None in values else sum(values)


SYSCALLS = Section(
    "syscalls", "System calls that never wait",
    f"perf bench syscall basic -l {CALLS}: one thread that does nothing but enter the kernel and leave it. -p beside perf samples at "
    f"{FREQ} Hz.",
    ("perf", "bench", "syscall", "basic", "-l", str(CALLS)), (PLAIN, USER, WAKERS, ALL, ALL_USER),
    limits={PLAIN: 1.02, USER: 1.02, WAKERS: 1.02, ALL: 1.02}, sampling=(recorders.OURS, recorders.PERF),
    against={recorders.OURS: recorders.PERF})
MESSAGING = Section(
    "messaging", "Hundreds of tasks",
    f"perf bench sched messaging -g {GROUPS} -l {MESSAGES}: {GROUPS * 40} tasks that send each other messages.",
    ("perf", "bench", "sched", "messaging", "-g", str(GROUPS), "-l", str(MESSAGES)), (PLAIN, USER, WAKERS, PERF, PEER),
    limits={PLAIN: 1.02, USER: 1.08, WAKERS: 1.10})
RING = Section(
    "ring", "A thousand tasks in a ring",
    f"{TASKS} threads on one CPU hand on a token, {PASSES} times: each runs for a moment, and not again before all others have had "
    "their turn, some milliseconds later. So nothing that is kept by thread is in a cache when it is needed. At the usual -m of 1 ms "
    "each of these waits is recorded with its stacks, as perf records and offcputime sums them; with -m 1000000 (one second) none is: that "
    "is what looking at cold threads costs. The empty program hangs on sched_switch and does nothing.",
    (*ONE_CPU, str(settings.WORKLOADS / "waits"), "ring", str(TASKS), str(PASSES)),
    (EMPTY, SUMS, SUMS_USER, SUMS_WAKERS, PLAIN, USER, WAKERS, PERF, PEER),
    margins={SUMS: 0.03, SUMS_USER: 0.06, SUMS_WAKERS: 0.11})
ONE = Section(
    "pair", "A storm on one CPU, and a program that does nothing",
    f"perf bench sched pipe -l {LOOPS} on one CPU. The empty program hangs on sched_switch and does nothing.",
    STORM, (EMPTY, PLAIN, USER, WAKERS), margins={PLAIN: 0.03, USER: 0.06, WAKERS: 0.11})
STOPPED = Section(
    "stopped", "A recorder that stands still",
    "The same storm while the recorder is stopped (SIGSTOP) and its rings are full: every wait is lost, and counted.",
    STORM, (ALL, ALL_USER), measure=beside_stopped, limits={ALL: 1.20, ALL_USER: 1.20}, loses=True)

SECTIONS = (SYSCALLS, MESSAGING, ONE, RING, STOPPED)
