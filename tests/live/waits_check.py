#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""waits_check.py REPORT TRACE TRUTH CHECK[:ARGUMENT]...: compares a trace with the waits that a workload reports: waits.c,
or waits_user.c (user-stacks), early.c (early, early-walk, early-summary, early-at), accounted.c (moved, newborn). Each check
prints lines "yes WHAT" and "no WHAT: WHY"; "# ..." are remarks. Exit 0 if all ran to completion."""
import collections
import os
import re
import sys

import waits_trace as wt

MS = 1_000_000

# Kernels that hide threads from tracing show neither a switch from such a thread to another, nor the wakeups while it
# ran. If the recorder reports such a kernel, a few waits may be missing; the others must still be right.
HIDES = os.environ.get("WAITS_HIDDEN") == "1"

# How much each wait may be shorter than its bracket, in ns, in addition to the rest: the way into the kernel and
# back, on a CPU that leaves idle with cold caches (the recorder reads its stacks there); measured here: 30 to 120 us.
# Emulated: far more.
EMULATED = os.environ.get("WAITS_EMULATED") == "1"
CALL = MS * 3 // 2 if EMULATED else 150_000
MOMENT = 20 * MS if EMULATED else MS

def few(count):
    """How many of that many waits may be in a bracket that is much longer. An interrupt, or the host taking the CPU
    away, may stop a thread between its wait and its reading of the clock, and no event shows that: the bracket is
    longer then, never shorter. So each wait must be within its bracket, and nearly all must fill it."""
    return min(count // 2, count // 20 + 2)

# ns between two views of one wait: --top-waits counts in us.
SAME = 2000

def allowed(count):
    """How many of that many waits, or wakers, may be unknown for that reason; or shorter than -m, because the CPU was
    stopped meanwhile."""
    return max(3, count * 3 // 100) if HIDES else 1 if EMULATED else 0

class Judge(wt.Judge):
    def __init__(self, report, path, truth):
        super().__init__(report, path)
        self.truth = truth
        self.trace, self.threads, self.stolen = wt.Trace(report, path), wt.read_truth(truth), wt.read_stolen(truth)

    def told(self, *words):
        """The workload's lines that begin with one of these words."""
        with open(self.truth, encoding="utf-8") as lines:
            return [line for line in lines if line.split(None, 1)[0] in words]

    def near(self, what, got, want, slack, unit="ns"):
        return self.verdict(abs(got - want) <= slack, what, "%d %s, expected %d within %d" % (got, unit, want, slack))

    def brackets(self, thread):
        """The brackets that count: all, or, if the kernel hides switches, those in which any wait was seen."""
        return [bracket for bracket in thread.brackets
                if not HIDES or self.trace.within(thread.tid, bracket.begin, bracket.end)]

    def total(self, threads):
        return sum(bracket.end - bracket.begin for thread in threads for bracket in self.brackets(thread))

    def unfilled(self, threads):
        """How much longer than their waits the worst few brackets are. A bracket without any wait is not among them:
        its wait is missing."""
        found = [(bracket.end - bracket.begin, sum(wait.length for wait in self.trace.within(thread.tid, bracket.begin, bracket.end)))
                 for thread in threads for bracket in self.brackets(thread)]
        excess = sorted(max(0, length - waited) for length, waited in found if waited)
        return sum(excess[len(excess) - max(few(len(excess)), min(len(excess), allowed(len(excess)) if HIDES else 0)):])

    def slack(self, threads):
        """Slack for their total: 1 %, the calls themselves, and if switches are hidden what the worst few waits may
        have without a stack."""
        lengths = sorted(bracket.end - bracket.begin for thread in threads for bracket in thread.brackets)
        hidden = sum(lengths[-allowed(len(lengths)):]) if HIDES else 0
        return sum(lengths) // 100 + len(lengths) * CALL + hidden

    def fills(self, what, got, threads, slack):
        """Whether a total agrees with the brackets; it may lack what the worst few do not show."""
        want = self.total(threads)
        least = want - slack - self.unfilled(threads)
        return self.verdict(least <= got <= want + slack, what, "%d ns, expected %d to %d" % (got, least, want + slack))

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
    """The blocked waits that have an event of their own, and the time off the CPU of all waits."""
    waits = judge.trace.within(thread.tid, bracket.begin, bracket.end)
    return [wait for wait in waits if wait.kind == wt.BLOCKED], sum(wait.length for wait in waits)

def preempted_on_the_way(judge, thread, bracket):
    """Whether the thread was preempted when about to sleep, in a sleeping state, and its time was over when it ran
    again, or before."""
    return any(wait.kind == wt.CANCELLED or wait.kind == wt.PREEMPTED and wait.state & 3 for wait in judge.trace.within(thread.tid, bracket.begin, bracket.end))

def check_brackets(judge, argument):
    """One blocked wait in each bracket; totals within 1 %; nearly all as long as their brackets within 1 ms, at the
    right time. `rough`: the calls spend much of their time on a CPU, so the total is only known to be less, and a
    call may sleep more than once."""
    for comm, threads in by_comm(judge.threads).items():
        name = "%s: waits of %d threads, " % (comm, len(threads))
        count = total = preempted = 0
        alone = []
        for thread in threads:
            found = [(bracket, *in_bracket(judge, thread, bracket)) for bracket in judge.brackets(thread)]
            count += sum(1 if argument else len(blocked) for _, blocked, _ in found if blocked)
            total += sum(length for _, _, length in found)
            alone += [(bracket, blocked[0]) for bracket, blocked, length in found if len(blocked) == 1 and blocked[0].length == length]
            preempted += sum(preempted_on_the_way(judge, thread, bracket) for bracket, blocked, _ in found if not blocked)
        want, truth = sum(len(judge.brackets(thread)) for thread in threads), judge.total(threads)
        every = sum(len(thread.brackets) for thread in threads)
        judge.verdict(want >= every * 3 // 4, name + "seen", "%d of %d brackets" % (want, every)) # once 113 of 128 were
        slack = want // 100 + allowed(want) + min(preempted, max(1, want // 20))
        judge.near(name + "counted", count, want, slack, "waits")
        if argument:
            judge.verdict(truth // 10 < total < truth, name + "total", "%d ns of %d" % (total, truth))
        else:
            judge.fills(name + "total", total, threads, truth // 100 + count * CALL)
            judge_alone(judge, name, alone)

def judge_alone(judge, name, pairs):
    """Compares brackets in which the thread slept once and was not seen to be preempted besides."""
    if not judge.verdict(pairs, name + "some can be compared with their clocks", "all were preempted besides"):
        return
    figures = {
        "length": lambda bracket, wait: wait.length - (bracket.end - bracket.begin),
        "end": lambda bracket, wait: wait.end - bracket.end,
        "end by the wall clock": lambda bracket, wait: judge.trace.realtime(wait.end) - bracket.end_real,
    }
    for what, figure in figures.items():
        off = [figure(*pair) for pair in pairs]
        wrong = sum(abs(error) > MOMENT for error in off)
        judge.verdict(wrong <= max(few(len(off)), min(len(off), allowed(len(off)))), name + what,
                      "%d of %d are off by more than %d ns, up to %d" % (wrong, len(off), MOMENT, max(map(abs, off))))
        judge.verdict(max(off) <= MOMENT, name + what + ", and none is beyond its bracket", "one is, by %d ns" % max(off))

def check_comms(judge, _):
    """Every recorded wait of a thread has the comm that the thread had."""
    wrong = [wait for thread in judge.threads for bracket in thread.brackets
             for wait in judge.trace.within(thread.tid, bracket.begin, bracket.end) if wait.task.comm != thread.comm]
    wrong_process = [wait for thread in judge.threads for bracket in thread.brackets
                     for wait in judge.trace.within(thread.tid, bracket.begin, bracket.end) if wait.task.tgid != thread.tgid]
    judge.verdict(not wrong, "comms", "%d waits, such as one of '%s'" % (len(wrong), wrong and wrong[0].task.comm))
    judge.verdict(not wrong_process, "processes", "%d waits are of another process" % len(wrong_process))

def check_paths(judge, argument):
    """--folded: the time under each thread's own call path, within 1 %. `all`: hardly any of it may be on another path;
    `rough`: the same, and the time on the path is not compared with the clock."""
    rows = wt.folded(judge.report, judge.path)
    for comm, threads in by_comm(judge.threads).items():
        path = threads[0].path
        mine = [row for row in rows if row[0] == comm or (comm == "m*" and re.match("m[0-9]{5}$", row[0]))]
        mine = [row for row in mine if "do_exit" not in row[1]]  # happens after the truth was printed
        got = sum(us * 1000 for _, frames, us in mine if wt.holds(frames, path))
        missing = sum(us * 1000 for _, frames, us in mine if not wt.holds(frames, path))
        if argument != "rough":
            judge.fills("%s: --folded under %s" % (comm, ";".join(path)), got, threads, judge.slack(threads))
        if argument:
            judge.verdict(got and missing <= (got + missing) * (15 if argument == "rough" else 1) // 100 + (judge.slack(threads) if HIDES else 0), "%s: hardly any time elsewhere" % comm,
                          "%d ns of %d, such as %s" % (missing, got, [row for row in mine if not wt.holds(row[1], path)][:1]))

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
    """Only preempted; as often as the kernel counted, for as long as the thread's clock stood still."""
    for thread in judge.threads:
        found = time_by_class(judge, thread)
        count, total = found[wt.PREEMPTED]
        print("# %s: %s; clock %d ns in %d gaps, run_delay %d ns, %d switches" % (
            thread.comm, found, thread.total, len(thread.brackets), thread.delay, thread.switches))
        judge.near(thread.comm + ": preempted, times", count, thread.numbers["nivcsw"], 2 + allowed(count), "times")
        # Interrupts and the host also stop its clock, and often a switch follows. The kernel's account shows what is
        # missing.
        brief = max(0, count - len(thread.brackets)) * MS  # the thread ignores shorter ones
        judge.verdict(thread.total // 2 <= total <= (1.2 if EMULATED else 1.01) * thread.total + brief,
                      thread.comm + ": preempted, ns", "%d, its clock stood still for %d" % (total, thread.total))
        judge.near(thread.comm + ": run queue, against the kernel's", total + found[wt.STARTED][1], thread.delay,
                   thread.delay * (5 if EMULATED else 3 if HIDES else 1) // 100)
        judge.verdict(found[wt.BLOCKED][1] < 2 * MS, thread.comm + ": not blocked", str(found[wt.BLOCKED]))
        judge.verdict(found[wt.YIELDED][0] == 0, thread.comm + ": did not yield", str(found[wt.YIELDED]))

def check_yield(judge, _):
    """Yielded, except when preempted by a tick; every switch is counted once. A thread that a tick preempts on its
    way out of the system call looks like one that yields."""
    for thread in judge.threads:
        found = time_by_class(judge, thread)
        count = sum(number for number, _ in found.values())
        print("# %s: %s; %d yields, %d switches" % (thread.comm, found, thread.numbers["yields"], thread.switches))
        judge.near(thread.comm + ": waits, as the kernel counted", count, thread.switches + 1, 3 + allowed(0), "waits")
        judge.verdict(found[wt.YIELDED][0] <= 1.01 * thread.numbers["yields"] + 3, thread.comm + ": no more yields than calls", str(found))
        judge.verdict(found[wt.YIELDED][0] >= 0.9 * count > 100, thread.comm + ": yielded", str(found))
        judge.verdict(found[wt.BLOCKED][1] < 2 * MS, thread.comm + ": not blocked", str(found[wt.BLOCKED]))

def check_cancelled(judge, _):
    """Runnable all the time except for the one sleep before the signal: nobody woke it. The kernel counts a switch
    out of a cancelled sleep as voluntary, a preemption as involuntary."""
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
    # This includes a thread that left such a sleep and was preempted once more before the call continued.
    judge.verdict(len(found[wt.CANCELLED]) >= want - 2 - allowed(want), "cancelled: told as such",
                  "%d waits, expected %d" % (len(found[wt.CANCELLED]), want))

# --- wakers ---------------------------------------------------------------------------------------------------------------

def check_wakers(judge, argument):
    """ARGUMENT: "SLEEPER=WAKER,..."; WAKER is a comm that wakes in task context, "timer", or "RE/..." for threads
    that act as timers."""
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
        with_it = 0
        threads = [judge.thread(target)]
        for comm, frames, us in rows:
            if comm == target and "--" in frames:
                half = frames[frames.index("--") + 1:]
                with_it += us if half[-1] == waker and function in half else 0
        judge.fills("%s: --wakers --folded ends in %s and has %s" % (target, waker, function), with_it * 1000, threads, judge.total(threads) // 100)

def check_chains(judge, _):
    """--chains from chain-a names chain-b, chain-c and then a timer, in this order."""
    text = wt.view(judge.report, judge.path, "--chains=chain-a")
    places = [text.find(name) for name in ("chain-a", "chain-b", "chain-c")]
    judge.verdict(-1 not in places and places == sorted(places), "--chains names all three, in order", str(places))
    rest = text[max(places):]
    judge.verdict(bool(re.search(r"timer|irq|softirq", rest)), "--chains ends in a timer", rest[:300].replace("\n", "|"))

def check_at(judge, argument):
    """--at in the middle of a round of the chain, when all of the given threads sleep, shows them. The round is the
    one of median length by their clocks: in a longer one, a thread may have been kept from sleeping for a while."""
    rounds = zip(*(judge.thread(comm).brackets for comm in argument.split(",")))
    spans = [(max(bracket.begin_real for bracket in each), min(bracket.end_real for bracket in each)) for each in rounds]
    begin, end = sorted(spans, key=lambda span: span[1] - span[0])[len(spans) // 2]
    middle = (begin + end) // 2
    text = wt.view(judge.report, judge.path, "--at", "@%d.%09d" % divmod(middle, 10**9))
    for comm in argument.split(","):
        judge.verdict(bool(re.search(r"\b%s\b" % re.escape(comm), text)), "--at shows %s" % comm, text[:300].replace("\n", "|"))

# --- open waits, states, iowait ---------------------------------------------------------------------------------------------

def check_open(judge, argument):
    """The thread that never woke up has one wait, not ended; ARGUMENT before|during: it began before the recording or
    in it."""
    thread = judge.thread("forever")
    bracket = thread.brackets[0]
    waits = [wait for wait in judge.trace.by_tid.get(thread.tid, []) if wait.flags & wt.NOT_ENDED]
    if not judge.verdict(len(waits) == 1, "forever has one wait that has not ended", "%d" % len(waits)):
        return
    wait = waits[0]
    early = argument == "before"
    judge.verdict(bool(wait.flags & wt.BEGAN_BEFORE) == early, "forever began " + argument, "flags 0x%x" % wait.flags)
    # It begins after the thread's clock, and before it was seen asleep. If before the recording, within 10 ms or with
    # a bound.
    least, most = bracket.begin - (12 * MS if early else MS), thread.asleep + (12 * MS if early else MS)
    judge.verdict(least <= wait.begin and (wait.begin <= most or wait.flags & wt.OUT_LATEST), "forever: when it began",
                  "at %d, expected %d to %d, flags 0x%x" % (wait.begin, least, most, wait.flags))
    judge.verdict(wait.kind == wt.BLOCKED, "forever is blocked", wait.kind)
    rows = wt.folded(judge.report, judge.path, "-c", "^forever$", "--class", "open")
    judge.verdict(any("pipe_read" in frame or "anon_pipe_read" in frame for _, frames, _ in rows for frame in frames),
                  "forever: its kernel stack is known", str(rows)[:300])

def check_iowait(judge, argument):
    """Waits in D, with iowait, of ARGUMENT ms and a little more."""
    for thread in judge.threads:
        waits = [wait for bracket in thread.brackets for wait in in_bracket(judge, thread, bracket)[0]]
        good = [wait for wait in waits if wait.flags & wt.IOWAIT and wait.state & 2]
        judge.verdict(len(good) >= 0.9 * len(waits) and good, "%s: in D with iowait" % thread.comm, "%d of %d" % (len(good), len(waits)))
        if argument:
            least = min((wait.length for wait in waits), default=0)
            judge.verdict(least >= int(argument) * MS, "%s: each at least %s ms" % (thread.comm, argument), "%d ns" % least)

def check_sleeps_of(judge, argument):
    """Several sleeps in one call: the brackets have as many blocked waits as the kernel counted; their stacks are
    right."""
    thread = judge.thread(argument)
    found = [in_bracket(judge, thread, bracket) for bracket in thread.brackets]
    count = sum(len(blocked) for blocked, _ in found)
    want = thread.numbers["sleeps"]
    judge.near("%s: sleeps in %d calls" % (argument, len(found)), count, want, allowed(want), "sleeps")
    judge.verdict(count >= 8 * len(found), "%s: several in a call" % argument, "%d in %d calls" % (count, len(found)))

def check_state(judge, argument):
    """BIT,COMM,OTHER, recorded with --state: there are only waits with that bit at their switch-out: those of COMM, and
    none of OTHER."""
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

# ns from the last reading to the thread's end, and from the clock before clone(2) to the thread's start.
READING = 10 * MS if EMULATED else 300_000

SWITCH = 5000  # ns: the scheduler reads its clock a varying number of us before the tracepoint of a switch

def slack_of(judge, thread):
    """Slack for the rest of a thread's wall time: 0.1 % of it, the readings, the switches, and time stolen by the
    host."""
    return thread.wall // 1000 + READING + SWITCH * thread.switches + judge.stolen

def judge_each(judge, what, rows, sign=0):
    """rows: thread, figure, the kernel's figure, slack. The host may take the CPU away while a thread reads its
    account: one in six may be off, and in that direction only."""
    wrong = [(thread.comm, got, want, slack) for thread, got, want, slack in rows if abs(got - want) > slack]
    against = [row for row in wrong if (row[1] - row[2]) * sign < 0]
    judge.verdict(rows and len(wrong) <= len(rows) // 6 and not against, what, "thread, ns, expected, within: %s" % wrong)

def judge_account(judge, what, rows):
    """rows: thread, running, queued, blocked, and how much of these may be later than the reading: 0.1 % of each. If
    switches are hidden, waits are missing, but no run time. An emulated machine spends time between the scheduler's
    clock and the tracepoint after it: 2 %."""
    run, queue, rest = [], [], []
    for thread, running, queued, blocked, later in rows:
        unseen = thread.wall * 3 // 100 if HIDES else thread.wall * 2 // 100 if EMULATED else 0
        run.append((thread, running, thread.run, thread.run // 1000 + READING + judge.trace.ran_after(thread)))
        queue.append((thread, queued, thread.delay, thread.delay // 1000 + READING + SWITCH * thread.switches + unseen + later))
        rest.append((thread, blocked, thread.wall - thread.run - thread.delay, slack_of(judge, thread) + unseen + later))
    judge_each(judge, what + "run", run, 1)
    judge_each(judge, what + "run queue", queue, 1)
    judge_each(judge, what + "blocked", rest, -1)

def check_schedstat(judge, _):
    """Run, run queue and blocked time of each thread over its life, compared with /proc/PID/task/TID/schedstat."""
    rows = []
    for thread in judge.threads:
        sums, running = judge.trace.sums_of(thread)
        waits = [wait for wait in judge.trace.of(thread) if wait.end <= thread.ended]
        waited = sum(wait.length for wait in waits) + sum(total for _, total, _ in sums.values())
        queued = sum(wait.run_queue for wait in waits) + sum(
            queue if kind in wt.SUM_BLOCKED else total for kind, (_, total, queue) in sums.items())
        count = len(waits) + sum(count for count, _, _ in sums.values())
        rest = thread.wall - thread.run - thread.delay
        print("# %s: %d waits of %d; run %+d of %d, run queue %+d of %d, blocked %+d of %d ns" % (
            thread.comm, count, thread.switches + 1, running - thread.run, thread.run,
            queued - thread.delay, thread.delay, waited - queued - rest, rest))
        # A wait after the last reading, if it is short, is in the sums as well.
        rows.append((thread, running, queued, waited - queued, max(0, count - thread.switches - 1) * judge.trace.least))
    judge_account(judge, "the kernel's account: ", rows)

def check_summary(judge, _):
    """--summary compared with the same: ms of each thread over its life, and what it cannot account for."""
    shown = wt.summary(judge.report, judge.path)
    rows, walls, residues = [], [], []
    for thread in judge.threads:
        row = shown.get(thread.tid)
        if not judge.verdict(row is not None, thread.comm + ": --summary has it", "no row of %d" % thread.tid):
            continue
        blocked = row["blocked S"] + row["blocked D"] + row["other"]
        late = [wait for wait in judge.trace.of(thread) if wait.end > thread.ended]
        rows.append((thread, row["running"], row["run queue"] - sum(wait.run_queue for wait in late),
                     blocked - sum(wait.length - wait.run_queue for wait in late), 0))
        late, unseen = sum(wait.length for wait in late), thread.wall * 3 // 100 if HIDES else 0
        walls.append((thread, row["wall"] - late, thread.wall, thread.wall // 1000 + READING + unseen))
        residues.append((thread, row["unknown"], 0, slack_of(judge, thread) + unseen))
        placed = row["running"] + row["run queue"] + blocked + row["unknown"]
        judge.near(thread.comm + ": --summary adds up", placed, row["wall"], 5000)
    judge_account(judge, "--summary: ", rows)
    judge_each(judge, "--summary: wall", walls)
    judge_each(judge, "--summary: unknown", residues)

def check_least(judge, argument):
    """No wait with an event of its own is shorter than -m (us), except open ones; the shorter ones are in sums."""
    short = [wait for wait in judge.trace.waits if wait.length < int(argument) * 1000 and not wait.open]
    judge.verdict(not short, "no recorded wait is shorter than -m", "%d are" % len(short))
    brief = sum(count for sums in judge.trace.sums for count, _, _ in sums.kinds.values())
    judge.verdict(brief > 0, "shorter waits are summed", "none")

def check_prefix(judge, argument):
    """A recording that ended early has everything up to its last wait; ARGUMENT% of brackets may be missing if it
    lost events; what is there is right."""
    last = max((wait.end for wait in judge.trace.waits), default=0)
    missing = wrong = unfilled = count = 0
    for thread in judge.threads:
        for bracket in thread.brackets:
            if bracket.begin < judge.trace.start or bracket.end > last:
                continue
            blocked, total = in_bracket(judge, thread, bracket)
            count += 1
            missing += not blocked and not preempted_on_the_way(judge, thread, bracket)
            wrong += len(blocked) > 1 or total > bracket.end - bracket.begin + MOMENT
            unfilled += bool(blocked) and total < bracket.end - bracket.begin - MOMENT
    judge.verdict(count > 0, "waits to compare", "none before the recording's end")
    judge.verdict(wrong * 100 <= count, "what was recorded is right", "%d of %d waits are not" % (wrong, count))
    judge.verdict(unfilled <= few(count), "what was recorded is whole", "%d of %d waits are not" % (unfilled, count))
    judge.verdict(missing * 100 <= count * int(argument or 0) + 100 * allowed(count), "what was not lost is there", "%d of %d are missing" % (missing, count))

# --- waits that were under way when the recording began (workloads/early.c) ----------------------------------------------

CLOSE = 20 * MS
FAIR = "fair", "busy", "vfork"
BEFORE = 2 * MS  # a valid bound: at most this much before the thread's own clock, which it reads before it sleeps

class Sleeper:
    def __init__(self, fields):
        self.comm, self.tid = fields["comm"], int(fields["tid"])
        self.begin, self.end = int(fields["begin"]), int(fields.get("end", 0))
        self.disturbed = fields.get("disturbed") == "1"
        self.kind, _, ends = self.comm.split("-")
        self.ends = ends == "e"

def sleepers_of(judge):
    sleepers = {}
    for line in judge.told("sleeper"):
        sleeper = Sleeper(wt.pairs(line))
        sleepers[sleeper.tid] = sleeper
    for fields in map(wt.pairs, judge.told("woken")):
        sleepers[int(fields["tid"])].end = int(fields["end"])
    return sleepers

def is_right(sleeper, wait):
    off = wait.begin - sleeper.begin
    if wait.flags & wt.OUT_LATEST:
        return off >= -BEFORE
    return abs(off) <= CLOSE

def check_early(judge, _):
    """Each thread has one wait that began when its own clock says, within 20 ms, or before the recorded bound."""
    exact, all_of, worst = collections.Counter(), collections.Counter(), collections.Counter()
    for sleeper in sleepers_of(judge).values():
        waits = [wait for wait in judge.trace.by_tid[sleeper.tid] if wait.flags & wt.BEGAN_BEFORE]
        if not judge.verdict(len(waits) == 1, "one wait of %s" % sleeper.comm, "%d" % len(waits)):
            continue
        wait = waits[0]
        off = wait.begin - sleeper.begin
        judge.verdict(bool(wait.flags & wt.NOT_ENDED) == (not sleeper.end) and wait.kind == wt.BLOCKED,
                      "how the wait of %s ended" % sleeper.comm, "flags 0x%x, %s" % (wait.flags, wait.kind))
        if sleeper.disturbed:
            print("# %s was switched between its clock and its sleep: %+d us" % (sleeper.comm, off // 1000))
            continue
        judge.verdict(is_right(sleeper, wait), "begin of %s" % sleeper.comm, "off by %+d us, flags 0x%x" % (off // 1000, wait.flags))
        all_of[sleeper.kind] += 1
        exact[sleeper.kind] += not wait.flags & wt.OUT_LATEST
        worst[sleeper.kind] = max(worst[sleeper.kind], abs(off))
    for kind, count in all_of.items():
        print("# %s: %d of %d told as exact, %d us off at most" % (kind, exact[kind], count, worst[kind] // 1000))
    if EMULATED:  # nothing is stolen
        judge.verdict(sum(exact[kind] for kind in FAIR) * 10 >= 9 * sum(all_of[kind] for kind in FAIR), "fair tasks are exact",
                      "%s of %s" % (dict(exact), dict(all_of)))

def check_early_walk(judge, _):
    """A walk of the same tasks shows how long they have slept."""
    rows = {row.tid: row for row in judge.trace.walked}
    for sleeper in sleepers_of(judge).values():
        row = rows.get(sleeper.tid)
        if judge.verdict(row is not None, "the walk has %s" % sleeper.comm, "no row") and not sleeper.disturbed:
            off = row.time - row.wait - sleeper.begin
            judge.verdict(off >= -BEFORE if row.bound == wt.AT_LEAST else row.bound == 1 and abs(off) <= CLOSE,
                          "the walk's wait of %s" % sleeper.comm, "off by %+d us, bound %d" % (off // 1000, row.bound))

def check_early_summary(judge, _):
    """--summary accounts for all of the time that they slept in the recording. A thread about to exit at the end may
    be missing."""
    rows = wt.summary(judge.report, judge.path)
    share = 30 if EMULATED else 100
    for sleeper in sleepers_of(judge).values():
        row = rows.get(sleeper.tid)
        if not judge.verdict(row is not None, "--summary has %s" % sleeper.comm, "no row"):
            continue
        if row["wall"] is None and sleeper.end:
            print("# %s was on its way out at the end" % sleeper.comm)
            continue
        judge.verdict(abs(row["unknown"]) <= row["wall"] // share + 2 * MS, "--summary of %s" % sleeper.comm, str(row))

def check_early_at(judge, _):
    """--at the start counts all of them; those that it lists show how long they had really slept."""
    text = wt.view(judge.report, judge.path, "--at", "+0.000001", "--throughout")
    sleepers = sleepers_of(judge)
    waited = re.search(r"^# tasks that waited: (\d+)", text, re.M)
    judge.verdict(waited and int(waited.group(1)) >= len(sleepers), "--at the start counts who slept", text[:300])
    listed = re.findall(r"^\S+ tid (\d+) .*blocked, (?:.*, )?for (≥|>=|)([0-9.]+) (m?)s$", text, re.M)
    judge.verdict(listed, "--at the start lists who slept", text[:300])
    for tid, bound, figure, milli in listed:
        sleeper = sleepers.get(int(tid))
        if sleeper and not sleeper.disturbed:
            off = judge.trace.start - sleeper.begin - round(float(figure) * (MS if milli else 1000 * MS))
            judge.verdict(off >= -BEFORE if bound else abs(off) <= CLOSE, "--at the start, age of %s" % sleeper.comm, "off by %d ns" % off)

# --- waits that the kernel accounts wrongly (workloads/accounted.c) -------------------------------------------------------

CHARGED, CLOCKS = 20 * MS, MS  # ns: more queueing than can be right; how far clocks may differ

def charges():
    """Whether this kernel charges such sleeps: 6.12 and later, unless somebody has turned DELAY_DEQUEUE off."""
    try:
        with open("/sys/kernel/debug/sched/features", encoding="utf-8") as file:
            off = "NO_DELAY_DEQUEUE" in file.read().split()
    except OSError:
        off = False
    return not off and tuple(map(int, re.match(r"(\d+)\.(\d+)", os.uname().release).groups())) >= (6, 12)

def check_moved(judge, at_wakeup):
    """None was on a run queue for longer than it woke up late; with at-wakeup, where the kernel's account is wrong, its
    run queue time is that since the wakeup. Kernels that charge such sleeps charge every other one of 60, also on a
    busy machine: at least one must be."""
    wrong, missing, moved, rounds = [], 0, 0, judge.told("round")
    for tid, begin, end, late, charged in (map(int, line.split()[1:]) for line in rounds):
        waits = [wait for wait in judge.trace.by_tid[tid] if wait.kind == wt.BLOCKED and wait.begin >= begin - CLOCKS and wait.end <= end + CLOCKS]
        if not waits:
            missing += 1
            continue
        wait, least = max(waits, key=lambda wait: wait.length), 0
        if charged > CHARGED + late:
            moved += 1
            least = wait.end - wait.woken - CLOCKS - wt.READING if at_wakeup and wait.context != wt.NONE else 0
        if not least <= wait.run_queue <= late + CLOCKS + wt.READING:
            wrong.append((wait.run_queue, late, charged))
    print("# %d sleeps, %d of them charged to a run queue by the kernel" % (len(rounds), moved))
    judge.verdict(moved or not charges(), "moved: the kernel charges some, if it is one that does")
    judge.verdict(rounds and not missing, "moved: all sleeps are in the trace", "%d of %d are not" % (missing, len(rounds)))
    judge.verdict(not wrong, "moved: run queue", "it, late, by the kernel: %s" % wrong[:5])

def check_newborn(judge, late):
    """The time that new threads waited for a CPU does not include the `late` ms before, in which the thread was on no
    run queue, whether the start has a record or is summed; nor any time of the thread that was never put on one. The
    child reads its account a moment after it got the CPU."""
    near, slack, wrong = 0, 3 * MS, []
    for tid, delay in (map(int, line.split()[1:]) for line in judge.told("newborn")):
        parts = [sums.kinds[wt.STARTED][1:] for sums in judge.trace.sums if sums.task.tid == tid]
        parts += [(wait.length, wait.started_queue) for wait in judge.trace.by_tid[tid] if wait.kind == wt.STARTED]
        total, queued = (sum(column) for column in zip(*parts, (0, 0)))
        if total - queued < int(late) * MS - slack or queued > delay + slack:
            wrong.append((tid, total, queued, delay))
        near += abs(queued - delay) < slack
    judge.verdict(near and not wrong, "those that ran", "%d are near; tid, ns, on a run queue, by the kernel's account: %s" % (near, wrong[:3]))
    waits = [wait for wait in judge.trace.waits if wait.flags & wt.NOT_ENDED and wait.kind == wt.STARTED]
    judge.verdict([wait.started_queue for wait in waits] == [0], "the one that never did", "on a run queue: %s" % [w.started_queue for w in waits])

# --- user stacks (workloads/waits_user.c) --------------------------------------------------------------------------------

Shown = collections.namedtuple("Shown", "comm kind frames")  # frames: functions, leaf first

def read_waits(report, trace):
    """The waits in --events -v, which prints a line for each frame after the line of its wait."""
    waits = []
    for line in wt.view(report, trace, "--events", "--throughout", "-v", "--source", "offcpu").splitlines():
        begun = re.match(r"[0-9.]+ +(\S+) +[0-9]+ +[0-9]+ +wait .*\((\w+)\)", line)
        frame = re.match(r"[0-9.]+ +.*? (?:ip|r[0-9]+): +[0-9a-f]+ (\S+)", line)
        if begun:
            waits.append(Shown(begun[1], begun[2], []))
        elif frame and waits:
            waits[-1].frames.append(frame[1])
    return waits

def runs_through(wait, path):
    """Whether the stack has these functions, root first, in this order."""
    frames = iter(reversed(wait.frames))
    return all(function in frames for function in path)

def unseen(waits):
    """If the kernel hides threads, a switch from one of them is not seen, and that wait is recorded later, without
    stacks."""
    return [wait for wait in waits if HIDES and not wait.frames]

def judge_path(judge, waits, comm, path, count):
    mine = [wait for wait in waits if wait.comm == comm]
    good = [wait for wait in mine if wait.kind == "blocked" and runs_through(wait, path)]
    others = [(wait.kind, *wait.frames[-4:]) for wait in mine if wait not in good]
    judge.verdict(len(good) >= count - len(unseen(waits)), "%s: waits on %s" % (comm, ";".join(path)),
            "%d, not %d; others are %s" % (len(good), count, others[:3]))

def goes_on(frames):
    """Whether the function that entered the kernel has a caller."""
    return frames and not re.match("entry_SYSCALL|asm_|ret_from_fork", frames[-1])

def judge_there(judge, waits, comms):
    """An exiting task has no user stack."""
    for comm in comms:
        mine = [wait for wait in waits if wait.comm == comm and wait.kind != "started"]
        mine = [wait for wait in mine if "do_exit" not in wait.frames and wait not in unseen(mine)]
        bare = [wait for wait in mine if not goes_on(wait.frames)]
        judge.verdict(mine and not bare, "%s: its waits have user stacks" % comm,
                "%d of %d have none, such as %s" % (len(bare), len(mine), bare[:1]))

def judge_depths(judge, waits):
    for depth in 3, 40:
        mine = [wait for wait in waits if wait.comm == "deep-%d" % depth and "nap" in wait.frames]
        wrong = [wait for wait in mine if wait.frames.count("go_down") != depth]
        judge.verdict(mine and not wrong, "%d calls deep" % depth, "%d of %d waits, such as %s" % (len(wrong), len(mine), wrong[:1]))

def check_user_stacks(judge, _):
    waits, threads = read_waits(judge.report, judge.path), list(map(wt.pairs, judge.told("thread", "ended")))
    judge.verdict(len(waits) > 50 and len(threads) == 11, "waits to judge", "%d waits, %d threads" % (len(waits), len(threads)))
    for thread in threads:
        if int(thread["count"]):
            judge_path(judge, waits, thread["comm"], thread["path"].split(";"), int(thread["count"]))
    rounds = [int(thread["count"]) for thread in threads if thread["comm"] == "handled"][0]
    judge_path(judge, waits, "handled", ["sleep_until_signal", "handler_sleeps", "nap"], rounds)
    judge_depths(judge, waits)
    spun = [wait for wait in waits if wait.comm.startswith("spun-") and wait.kind == "preempted" and "do_exit" not in wait.frames]
    spun = [wait for wait in spun if wait not in unseen(spun) and not any("entry_SYSCALL" in frame for frame in wait.frames)]
    bare = [wait for wait in spun if "waiter_main" not in wait.frames]
    judge.verdict(spun and not bare, "preempted in no system call",
                  "%d of %d waits have no stack, such as %s" % (len(bare), len(spun), bare[:1]))
    judge_there(judge, waits, [thread["comm"] for thread in threads if "tid" in thread])

if __name__ == "__main__":
    wt.run(Judge(*sys.argv[1:4]), globals())
