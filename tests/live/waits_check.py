#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""waits_check.py REPORT TRACE TRUTH CHECK[:ARGUMENT]...: a trace against what the workload (workloads/waits.c) knows of its
waits. Each check prints lines "yes WHAT" and "no WHAT: WHY"; "# ..." are remarks. Exit 0 when all went to their end."""
import collections
import os
import re
import sys

import judging
import waits_trace as wt

MS = 1_000_000

# Kernels that hide threads from tracing tell nobody of a switch from such a thread to another, or of who was woken while it ran.
# Where the recorder says that it runs on one, a few waits may be missing; what is there must be right all the same.
HIDES = os.environ.get("WAITS_HIDDEN") == "1"

# What each wait may be shorter than its bracket, in ns, on top of the rest: the way into the kernel and back, on a CPU that comes
# out of idle with cold caches (the recorder takes its stacks there); measured here: 30 to 120 us. In an emulated machine far more.
EMULATED = os.environ.get("WAITS_EMULATED") == "1"
CALL = MS * 3 // 2 if EMULATED else 150_000
MOMENT = 20 * MS if EMULATED else MS


def allowed(count):
    """How many of so many waits, or wakers, may be unknown for that reason; or shorter than -m, because a CPU stood still meanwhile."""
    return max(3, count * 3 // 100) if HIDES else 1 if EMULATED else 0


class Judge(judging.Judge):
    def __init__(self, report, path, truth):
        super().__init__(report, path)
        self.trace, self.threads, self.stolen = wt.Trace(report, path), wt.read_truth(truth), wt.read_stolen(truth)

    def near(self, what, got, want, slack, unit="ns"):
        return self.verdict(abs(got - want) <= slack, what, "%d %s, expected %d within %d" % (got, unit, want, slack))

    def brackets(self, thread):
        """Those that count: all, but where the kernel hides switches, those in which anything was seen."""
        return [bracket for bracket in thread.brackets
                if not HIDES or self.trace.within(thread.tid, bracket.begin, bracket.end)]

    def total(self, threads):
        return sum(bracket.end - bracket.begin for thread in threads for bracket in self.brackets(thread))

    def unseen(self, threads):
        """What of their time off the CPU may be missing where switches are hidden: that of the worst few brackets."""
        excess = [bracket.end - bracket.begin - sum(wait.length for wait in self.trace.within(thread.tid, bracket.begin, bracket.end))
                  for thread in threads for bracket in self.brackets(thread)]
        return sum(sorted(excess)[-allowed(len(excess)):]) if HIDES else 0

    def slack(self, threads):
        """Of their total: 1 %, the calls themselves, and where switches are hidden what the worst few waits may lack, or may be
        told of without a stack."""
        lengths = sorted(bracket.end - bracket.begin for thread in threads for bracket in thread.brackets)
        hidden = sum(lengths[-allowed(len(lengths)):]) if HIDES else 0
        return sum(lengths) // 100 + len(lengths) * CALL + self.unseen(threads) + hidden

    def thread(self, comm):
        return next(thread for thread in self.threads if thread.comm == comm)


def by_comm(threads):
    """Threads of many comms m00000 ... are one group; a comm that many processes share is one, too."""
    groups = collections.defaultdict(list)
    for thread in threads:
        if thread.brackets:
            groups[re.sub(r"^m[0-9]+$", "m*", thread.comm)].append(thread)
    return groups


# --- counts, totals, the longest ------------------------------------------------------------------------------------------


def in_bracket(judge, thread, bracket):
    """The blocked waits that have an event of their own, and the time off the CPU of all of them."""
    waits = judge.trace.within(thread.tid, bracket.begin, bracket.end)
    return [wait for wait in waits if wait.kind == wt.BLOCKED], sum(wait.length for wait in waits)


def preempted_on_the_way(judge, thread, bracket):
    """About to sleep, in the state of a sleeper, but preempted; and when it came back the time was over."""
    return any(wait.kind == wt.PREEMPTED and wait.state & 3 for wait in judge.trace.within(thread.tid, bracket.begin, bracket.end))


def check_brackets(judge, argument):
    """One blocked wait per bracket; totals within 1 %; the longest within 1 ms, at the right moment. `rough`: the calls take
    much of their time on a CPU, so the total is only known to be less, and a call may sleep more than once."""
    for comm, threads in by_comm(judge.threads).items():
        name = "%s: waits of %d threads, " % (comm, len(threads))
        count = total = preempted = 0
        longest = []
        for thread in threads:
            found = [(bracket, *in_bracket(judge, thread, bracket)) for bracket in thread.brackets]
            count += sum(1 if argument else len(blocked) for _, blocked, _ in found if blocked)
            total += sum(length for _, _, length in found)
            longest.append(longest_of(thread, found))
            preempted += sum(preempted_on_the_way(judge, thread, bracket) for bracket, blocked, _ in found if not blocked)
        want, truth = sum(len(thread.brackets) for thread in threads), judge.total(threads)
        slack = want // 100 + allowed(want) + min(preempted, max(1, want // 20))
        slack += want * 2 // 3 if HIDES and argument else 0  # a disk's interrupts wake a CPU that may be idle for a hidden thread
        judge.near(name + "counted", count, want, slack, "waits")
        if argument:
            judge.verdict(truth // 10 < total < truth, name + "total", "%d ns of %d" % (total, truth))
        else:
            judge.near(name + "total", total, truth, truth // 100 + count * CALL + judge.unseen(threads))
            judge_longest(judge, name, [pair for pair in longest if pair])


def longest_of(thread, found):
    """Of the brackets in which the thread slept once and was not preempted besides, as far as that was seen."""
    clean = [(bracket, blocked[0]) for bracket, blocked, total in found if len(blocked) == 1 and blocked[0].length == total]
    if HIDES:  # it may have been preempted unseen
        clean.sort(key=lambda pair: pair[0].end - pair[0].begin - pair[1].length)
        clean = clean[: max(1, len(clean) - allowed(len(clean)))]
    if not clean:
        print("# %s %d has no wait that can be compared with its clock" % (thread.comm, thread.tid))
        return None
    return max(clean, key=lambda pair: pair[0].end - pair[0].begin)


def judge_longest(judge, name, pairs):
    """Where many threads want few CPUs, two and one in a hundred may be kept from its clock for a moment just before or behind its wait."""
    figures = {
        "length of the longest wait": lambda bracket, wait: wait.length - (bracket.end - bracket.begin),
        "end of the longest wait": lambda bracket, wait: wait.end - bracket.end,
        "end of the longest wait by the wall clock": lambda bracket, wait: judge.trace.realtime(wait.end) - bracket.end_real,
    }
    for what, figure in figures.items():
        off = sorted(abs(figure(*pair)) for pair in pairs)
        wrong = [error for error in off if error > MOMENT]
        judge.verdict(off and len(wrong) <= len(pairs) // 100 + (2 if len(pairs) > 20 else 0), name + what,
                      "%d of %d are off by more than %d ns, up to %d" % (len(wrong), len(pairs), MOMENT, max(off, default=0)))


def check_missing(judge, _):
    """Shows the brackets without a wait: for who looks into a failure."""
    for thread in judge.threads:
        for number, bracket in enumerate(thread.brackets):
            if not in_bracket(judge, thread, bracket)[0]:
                near = [(wait.kind, wait.begin - bracket.begin, wait.end - bracket.end, hex(wait.flags))
                        for wait in judge.trace.by_tid[thread.tid] if wait.end > bracket.begin and wait.begin < bracket.end]
                print("# %s %d bracket %d [%d, %d] has no wait; near it %s" % (
                    thread.comm, thread.tid, number, bracket.begin, bracket.end, near))
    judge.verdict(True, "looked for what is missing")


def check_comms(judge, _):
    """Every recorded wait of a thread is told of the comm that the thread had."""
    wrong = [wait for thread in judge.threads for bracket in thread.brackets
             for wait in judge.trace.within(thread.tid, bracket.begin, bracket.end) if wait.task.comm != thread.comm]
    wrong_process = [wait for thread in judge.threads for bracket in thread.brackets
                     for wait in judge.trace.within(thread.tid, bracket.begin, bracket.end) if wait.task.tgid != thread.tgid]
    judge.verdict(not wrong, "comms", "%d waits, such as one of '%s'" % (len(wrong), wrong and wrong[0].task.comm))
    judge.verdict(not wrong_process, "processes", "%d waits are of another process" % len(wrong_process))


def check_paths(judge, argument):
    """--folded: the time under each thread's own call path, within 1 %. `all`: hardly anything of it may lie on another path;
    `rough`: the same, and the time on the path is not compared with the clock."""
    rows = wt.folded(judge.report, judge.path)
    for comm, threads in by_comm(judge.threads).items():
        path, truth = threads[0].path, judge.total(threads)
        mine = [row for row in rows if row[0] == comm or (comm == "m*" and re.match("m[0-9]{5}$", row[0]))]
        mine = [row for row in mine if "do_exit" not in row[1]]  # comes after the truth
        got = sum(us * 1000 for _, frames, us in mine if wt.holds(frames, path))
        missing = sum(us * 1000 for _, frames, us in mine if not wt.holds(frames, path))
        if argument != "rough":
            judge.near("%s: --folded under %s" % (comm, ";".join(path)), got, truth, judge.slack(threads))
        if argument:
            judge.verdict(got and missing <= (got + missing) * (15 if argument == "rough" else 1) // 100 + (judge.slack(threads) if HIDES else 0), "%s: hardly any time elsewhere" % comm,
                          "%d ns of %d, such as %s" % (missing, got, [row for row in mine if not wt.holds(row[1], path)][:1]))


def check_top(judge, _):
    """--top-waits --raw: per path total, longest, and when that ended by the wall clock."""
    rows = wt.top_waits_raw(judge.report, judge.path)
    judge.verdict(bool(rows), "--top-waits --raw has rows that can be read", "none")
    for comm, threads in by_comm(judge.threads).items():
        path = threads[0].path
        seen = [(thread, bracket) for thread in threads for bracket in judge.brackets(thread)]
        length = {bracket: bracket.end - bracket.begin for _, bracket in seen}
        # Of a thread that was preempted near its wait only the clock stood still for longer.
        alone = {bracket for thread, bracket in seen if len(judge.trace.within(thread.tid, bracket.begin, bracket.end)) == 1}
        clean = [length[bracket] for _, bracket in seen if bracket in alone]
        mine = [row for row in rows if wt.holds(row.frames, path)]
        if not judge.verdict(bool(mine), "%s: --top-waits names %s" % (comm, ";".join(path)), "not there"):
            continue
        best = max(mine, key=lambda row: row.longest)
        truth = judge.total(threads)
        judge.near("%s: --top-waits, total" % comm, sum(row.total for row in mine) * 1000, truth, judge.slack(threads))
        low = sorted(clean)[-1 - min(allowed(len(clean)), len(clean) - 1)] if clean else 0
        judge.verdict(low - MS <= best.longest * 1000 <= max(length.values()) + MS, "%s: --top-waits, longest" % comm,
                      "%d us, by the thread's clock %d to %d ns" % (best.longest, low, max(length.values())))
        # At the end of one of its sleeps; within it where the thread was preempted besides and saw the end late.
        judge.verdict(any(bracket.end_real - length[bracket] - MS <= best.when - best.longest * 1000 and best.when <= bracket.end_real + MS
                          if bracket not in alone else
                          abs(bracket.end_real - best.when) <= MS and abs(length[bracket] - best.longest * 1000) <= MS for _, bracket in seen),
                      "%s: --top-waits, when" % comm, "at %d no wait of %d us ended" % (best.when, best.longest))


# --- classes --------------------------------------------------------------------------------------------------------------


def time_by_class(judge, thread):
    """class -> [count, ns] of events and sums together."""
    sums, _ = judge.trace.sums_of(thread)
    found = {kind: [0, 0] for kind in wt.CLASSES}
    for wait in judge.trace.of(thread):
        if wait.end <= thread.ended:
            found[wait.kind][0] += 1
            found[wait.kind][1] += wait.length
    for kind, (count, total, _) in sums.items():
        mine = found[wt.BLOCKED if kind in wt.SUM_BLOCKED else kind]
        mine[0] += count
        mine[1] += total
    return found


def check_spin(judge, _):
    """Preempted and nothing else; as often as the kernel counted, for as long as the thread's clock stood still."""
    for thread in judge.threads:
        found = time_by_class(judge, thread)
        count, total = found[wt.PREEMPTED]
        print("# %s: %s; clock %d ns in %d gaps, run_delay %d ns, %d switches" % (
            thread.comm, found, thread.total, len(thread.brackets), thread.delay, thread.switches))
        judge.near(thread.comm + ": preempted, times", count, thread.numbers["nivcsw"], 2 + allowed(count), "times")
        # Its clock stands still for interrupts, too, those that end in a switch and the others' share of them.
        brief = max(0, count - len(thread.brackets)) * MS  # it does not look at shorter ones
        least = 0.6 if EMULATED else 0.9 if HIDES else 0.95
        judge.verdict(least * thread.total <= total <= (1.2 if EMULATED else 1.01) * thread.total + brief,
                      thread.comm + ": preempted, ns", "%d, its clock stood still for %d" % (total, thread.total))
        judge.near(thread.comm + ": run queue, against the kernel's", total + found[wt.STARTED][1], thread.delay,
                   thread.delay * (5 if EMULATED else 3 if HIDES else 1) // 100)
        judge.verdict(found[wt.BLOCKED][1] < 2 * MS, thread.comm + ": not blocked", str(found[wt.BLOCKED]))
        judge.verdict(found[wt.YIELDED][0] == 0, thread.comm + ": did not yield", str(found[wt.YIELDED]))


def check_yield(judge, _):
    """Yielded, but for what a tick preempted; every switch is counted once. One that a tick preempts on its way out of the
    system call looks like one that yields."""
    for thread in judge.threads:
        found = time_by_class(judge, thread)
        count = sum(number for number, _ in found.values())
        print("# %s: %s; %d yields, %d switches" % (thread.comm, found, thread.numbers["yields"], thread.switches))
        judge.near(thread.comm + ": waits, as the kernel counted", count, thread.switches + 1, 3 + allowed(0), "waits")
        judge.verdict(found[wt.YIELDED][0] <= 1.01 * thread.numbers["yields"] + 3, thread.comm + ": no more yields than calls", str(found))
        judge.verdict(found[wt.YIELDED][0] >= 0.9 * count > 100, thread.comm + ": yielded", str(found))
        judge.verdict(found[wt.BLOCKED][1] < 2 * MS, thread.comm + ": not blocked", str(found[wt.BLOCKED]))


def check_cancelled(judge, _):
    """Runnable all the time but for the one sleep before the signal: nobody woke it. To the kernel, a switch out of a cancelled sleep
    is a voluntary one, one that preempts is not."""
    thread = judge.thread("cancelled")
    found = {kind: [wait for wait in judge.trace.of(thread) if wait.kind == kind] for kind in wt.CLASSES}
    runnable = found[wt.CANCELLED] + found[wt.PREEMPTED]
    print("# cancelled: %s, of %d voluntary switches" % ({kind: len(waits) for kind, waits in found.items()}, thread.numbers["nvcsw"]))
    want = thread.switches - len(found[wt.BLOCKED])
    judge.near("cancelled: runnable, times", len(runnable), want, 2 + allowed(want), "waits")
    judge.near("cancelled: runnable, ns", sum(wait.length for wait in runnable + found[wt.STARTED]), thread.delay,
               thread.delay * (10 if HIDES or EMULATED else 1) // 100)
    judge.verdict(len(found[wt.BLOCKED]) <= 2, "cancelled: blocked only before the signal", "%d times" % len(found[wt.BLOCKED]))
    judge.verdict(all(wait.context == wt.NONE for wait in runnable), "cancelled: has no waker", "some have")
    want = thread.numbers["nvcsw"] - len(found[wt.BLOCKED])
    judge.near("cancelled: told as such", len(found[wt.CANCELLED]), want, 2 + allowed(want), "waits")


# --- wakers ---------------------------------------------------------------------------------------------------------------


def check_wakers(judge, argument):
    """ARGUMENT: "SLEEPER=WAKER,..."; WAKER is a comm, waking in task context, or "timer", or "RE/..." for threads that are timers."""
    for rule in argument.split(","):
        comm, _, want = rule.partition("=")
        thread = judge.thread(comm)
        got, count = collections.Counter(), 0
        for bracket in judge.brackets(thread):
            for wait in in_bracket(judge, thread, bracket)[0]:
                timer = wait.context in (wt.IRQ, wt.SOFTIRQ)
                ours = wait.context == wt.TASK and wait.waker.comm == want
                if want == "timer":
                    ours = timer
                elif want == "timer-thread":
                    ours = wait.waker.comm.startswith(("ktimers/", "ksoftirqd/"))
                ours = ours and wait.begin <= wait.woken <= wait.end
                got["%s %s" % (wait.context, wait.waker.comm)] += 1
                count += ours
        unknown = sum(number for who, number in got.items() if who.startswith("none"))
        judge.verdict(count and count + min(unknown, allowed(count)) == sum(got.values()), "%s is woken by %s" % (comm, want), "%s" % dict(got))


def check_waker_stacks(judge, argument):
    """--wakers --folded: "TARGET>WAKER>FUNCTION": the function is in the waker's half for nearly all of the target's time."""
    rows = wt.folded(judge.report, judge.path, "--wakers")
    for rule in argument.split(","):
        target, waker, function = rule.split(">")
        with_it = total = 0
        truth = judge.total([judge.thread(target)]) // 1000
        for comm, frames, us in rows:
            if comm == target and "--" in frames:
                half = frames[frames.index("--") + 1:]
                total += us
                with_it += us if half[-1] == waker and function in half else 0
        judge.verdict(0.99 * truth <= with_it <= 1.01 * total and with_it <= 1.02 * truth,
                      "%s: --wakers --folded ends in %s and has %s" % (target, waker, function), "%d of %d us" % (with_it, truth))


def check_chains(judge, _):
    """--chains from chain-a names chain-b, chain-c and then a timer, in this order."""
    text = wt.view(judge.report, judge.path, "--chains=chain-a")
    places = [text.find(name) for name in ("chain-a", "chain-b", "chain-c")]
    judge.verdict(-1 not in places and places == sorted(places), "--chains names all three, in order", str(places))
    rest = text[max(places):]
    judge.verdict(bool(re.search(r"timer|irq|softirq", rest)), "--chains ends in a timer", rest[:300].replace("\n", "|"))


def check_at(judge, argument):
    """--at the middle of a round of the chain: all of those named are waiting, and who is named ends it."""
    bracket = judge.thread("chain-a").longest
    middle = bracket.begin_real + (bracket.end_real - bracket.begin_real) // 2
    text = wt.view(judge.report, judge.path, "--at", "@%d.%09d" % divmod(middle, 10**9))
    for comm in argument.split(","):
        judge.verdict(bool(re.search(r"\b%s\b" % re.escape(comm), text)), "--at shows %s" % comm, text[:300].replace("\n", "|"))


# --- open waits, states, iowait ---------------------------------------------------------------------------------------------


def check_open(judge, argument):
    """The thread that never woke: one wait, not ended; ARGUMENT before|during: began before the recording or in it."""
    thread = judge.thread("forever")
    bracket = thread.brackets[0]
    waits = [wait for wait in judge.trace.by_tid.get(thread.tid, []) if wait.flags & wt.NOT_ENDED]
    if not judge.verdict(len(waits) == 1, "forever has one wait that has not ended", "%d" % len(waits)):
        return
    wait = waits[0]
    slack = 2 * MS if argument == "before" else MS
    judge.verdict(bool(wait.flags & wt.BEGAN_BEFORE) == (argument == "before"), "forever began " + argument, "flags 0x%x" % wait.flags)
    judge.near("forever: when it began", wait.begin, bracket.begin, slack)
    judge.verdict(wait.begin + slack >= bracket.begin and wait.kind == wt.BLOCKED, "forever is blocked", wait.kind)
    rows = wt.folded(judge.report, judge.path, "-c", "^forever$", "--class", "open")
    judge.verdict(any("pipe_read" in frame or "anon_pipe_read" in frame for _, frames, _ in rows for frame in frames),
                  "forever: its kernel stack is known", str(rows)[:300])


def check_iowait(judge, argument):
    """In D, with iowait; lengths of ARGUMENT ms and a little more."""
    for thread in judge.threads:
        waits = [wait for bracket in thread.brackets for wait in in_bracket(judge, thread, bracket)[0]]
        good = [wait for wait in waits if wait.flags & wt.IOWAIT and wait.state & 2]
        judge.verdict(len(good) >= 0.9 * len(waits) and good, "%s: in D with iowait" % thread.comm, "%d of %d" % (len(good), len(waits)))
        if argument:
            least = min((wait.length for wait in waits), default=0)
            judge.verdict(least >= int(argument) * MS, "%s: each at least %s ms" % (thread.comm, argument), "%d ns" % least)


def check_sleeps_of(judge, argument):
    """Several sleeps in one call: as many blocked waits in the brackets as the kernel counted; their stacks are known."""
    thread = judge.thread(argument)
    found = [in_bracket(judge, thread, bracket) for bracket in thread.brackets]
    count = sum(len(blocked) for blocked, _ in found)
    want = thread.numbers["sleeps"]
    judge.near("%s: sleeps in %d calls" % (argument, len(found)), count, want, allowed(want), "sleeps")
    judge.verdict(count >= 8 * len(found), "%s: several in a call" % argument, "%d in %d calls" % (count, len(found)))


def check_state(judge, argument):
    """Recorded with --state: only waits with that bit at their switch-out, and those of the thread named behind it."""
    bit, comm, other = argument.split(",")
    blocked = [wait for wait in judge.trace.waits if wait.kind == wt.BLOCKED]
    judge.verdict(blocked and all(wait.state & int(bit) for wait in judge.trace.waits), "--state: no other states",
                  str(collections.Counter(wait.state for wait in judge.trace.waits)))
    thread = judge.thread(comm)
    count = sum(len(in_bracket(judge, thread, bracket)[0]) for bracket in thread.brackets)
    want = len(thread.brackets)
    judge.near("--state: waits of " + comm, count, want, allowed(want), "waits")
    thread = judge.thread(other)
    count = sum(len(in_bracket(judge, thread, bracket)[0]) for bracket in thread.brackets)
    judge.near("--state: waits of " + other, count, 0, 0, "waits")


# --- against the kernel's own account ---------------------------------------------------------------------------------------

# From the last reading to the thread's end, and from the clock before clone(2) to the birth.
READING = 10 * MS if EMULATED else 300_000


SWITCH = 5000  # ns: the scheduler reads its clock some us before it tells of a switch, and not always as many


def slack_of(judge, thread):
    """Of what is the rest of a thread's wall time: 0.1 % of that, the readings, the switches, and what the host has stolen."""
    return thread.wall // 1000 + READING + SWITCH * thread.switches + judge.stolen


def judge_account(judge, thread, prefix, running, queued, blocked):
    """0.1 % of each. Where switches are hidden, waits are missing, but nothing that ran is. An emulated machine has
    time to spend between the scheduler's clock and the tracepoint behind it: 2 %."""
    unseen = thread.wall * 3 // 100 if HIDES else thread.wall * 2 // 100 if EMULATED else 0
    rest = thread.wall - thread.run - thread.delay
    judge.near(thread.comm + prefix + "run", running, thread.run, thread.run // 1000 + READING)
    judge.near(thread.comm + prefix + "run queue", queued, thread.delay, thread.delay // 1000 + READING + SWITCH * thread.switches + unseen)
    judge.near(thread.comm + prefix + "blocked", blocked, rest, slack_of(judge, thread) + unseen)


def check_schedstat(judge, _):
    """Run, run queue and blocked of each thread over its life against /proc/PID/task/TID/schedstat."""
    for thread in judge.threads:
        sums, running = judge.trace.sums_of(thread)
        waits = [wait for wait in judge.trace.of(thread) if wait.end <= thread.ended]
        waited = sum(wait.length for wait in waits) + sum(total for _, total, _ in sums.values())
        queued = sum(wait.run_queue for wait in waits) + sum(
            queue if kind in wt.SUM_BLOCKED else total for kind, (_, total, queue) in sums.items())
        rest = thread.wall - thread.run - thread.delay
        print("# %s: %d waits of %d; run %+d of %d, run queue %+d of %d, blocked %+d of %d ns" % (
            thread.comm, len(waits) + sum(count for count, _, _ in sums.values()), thread.switches + 1, running - thread.run, thread.run,
            queued - thread.delay, thread.delay, waited - queued - rest, rest))
        judge_account(judge, thread, ": ", running, queued, waited - queued)


def check_summary(judge, _):
    """--summary against the same: ms of each thread, over all of its life, and what it cannot place."""
    rows = wt.summary(judge.report, judge.path)
    for thread in judge.threads:
        row = rows.get(thread.tid)
        if not judge.verdict(row is not None, thread.comm + ": --summary has it", "no row of %d" % thread.tid):
            continue
        blocked = row["blocked S"] + row["blocked D"] + row["other"]
        late = [wait for wait in judge.trace.of(thread) if wait.end > thread.ended]
        judge_account(judge, thread, ": --summary, ", row["running"], row["run queue"] - sum(wait.run_queue for wait in late),
                      blocked - sum(wait.length - wait.run_queue for wait in late))
        late = sum(wait.length for wait in late)
        judge.near(thread.comm + ": --summary, wall", row["wall"] - late, thread.wall, thread.wall // 1000 + READING)
        judge.near(thread.comm + ": --summary, residue", row["residue"], 0,
                   slack_of(judge, thread) + (thread.wall * 3 // 100 if HIDES else 0))
        placed = row["running"] + row["run queue"] + blocked + row["residue"]
        judge.near(thread.comm + ": --summary adds up", placed, row["wall"], 5000)


def check_least(judge, argument):
    """No wait with an event of its own is shorter than -m (us), but for open ones; the shorter ones are in sums."""
    short = [wait for wait in judge.trace.waits if wait.length < int(argument) * 1000 and not wait.open]
    judge.verdict(not short, "no recorded wait is shorter than -m", "%d are" % len(short))
    brief = sum(count for sums in judge.trace.sums for count, _, _ in sums.kinds.values())
    judge.verdict(brief > 0, "shorter waits are summed", "none")


def check_prefix(judge, argument):
    """A recording that ended early: up to its last wait everything is there, ARGUMENT% of brackets may be missing where it
    lost events; what is there is right."""
    last = max((wait.end for wait in judge.trace.waits), default=0)
    missing = wrong = count = 0
    for thread in judge.threads:
        for bracket in thread.brackets:
            if bracket.begin < judge.trace.start or bracket.end > last:
                continue
            blocked, total = in_bracket(judge, thread, bracket)
            count += 1
            missing += not blocked
            wrong += len(blocked) > 1 or bool(blocked) and abs(bracket.end - bracket.begin - total) > MOMENT
    judge.verdict(count > 0, "waits to compare", "none before the recording's end")
    judge.verdict(wrong * 100 <= count, "what was recorded is right", "%d of %d waits are not" % (wrong, count))
    judge.verdict(missing * 100 <= count * int(argument or 0) + 100 * allowed(count), "what was not lost is there", "%d of %d are missing" % (missing, count))


if __name__ == "__main__":
    judging.run(Judge(*sys.argv[1:4]), globals())
