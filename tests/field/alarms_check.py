#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""alarms_check.py OUTSIDE TRIGGERS: judges each alarm (lines "trigger" of rwalker-report --dump) by what
alarms_outside.py saw. It is a false alarm if the rule's condition was not true; a thread that lived too briefly to be
seen cannot be judged. Prints a line for each false alarm, and at the end their number for each rule."""
import bisect
import collections
import re
import sys

SECOND = 10 ** 9
UNITS = {"us": 10 ** 3, "ms": 10 ** 6, "s": SECOND, "m": 60 * SECOND}
# Looks are at least half a second apart, more on a busy machine; the recorder notices a second later.
LATE = 3 * SECOND
# A look's time is read after its data, so the data may be older by this much.
EDGE = SECOND // 4


def duration(words):
    number, unit = re.fullmatch(r"([0-9.]+)([a-z]+)", words).groups()
    return float(number) * UNITS[unit]


class Outside:
    def __init__(self, path):
        self.looks = []
        self.totals = collections.defaultdict(list)  # name: (time, ns)
        self.tasks = collections.defaultdict(list)  # tid: (time, state, ran, queued), or (time, None, 0, 0): gone
        with open(path, encoding="ascii") as file:
            for line in file:
                self.take(line.split())

    def take(self, words):
        at = int(words[1])
        if words[0] == "psi":
            self.looks.append(at)
            for name, total in zip(words[2::2], words[3::2]):
                self.totals["psi:" + name].append((at, int(total) * 1000))
        elif words[0] == "cpu":
            self.totals["cpu"].append((at, int(words[2]) * 1000))
        elif words[0] == "task":
            self.tasks[int(words[2])].append((at, words[3], int(words[4]), int(words[5])))
        elif words[0] == "gone":
            self.tasks[int(words[2])].append((at, None, 0, 0))

    def share(self, name, window, at):
        """The largest share in a window that ended shortly before, as a mean between looks, and the largest possible
        one."""
        totals, best, most = self.totals[name], 0, 0
        if not totals or at < totals[0][0] + window + LATE:
            return 0, 1
        end = min(len(totals), bisect.bisect_right(totals, (at + SECOND // 2, 0)) + 1) # may count earlier time
        for last in range(end - 1, 0, -1):
            if totals[last][0] < at - window - LATE:
                break
            first = bisect.bisect_right(totals, (totals[last][0] - window, 1 << 62)) - 1
            if first >= 0:
                passed = totals[last][0] - totals[first][0]
                best = max(best, (totals[last][1] - totals[first][1]) / passed)
                most = max(most, (totals[last][1] - totals[first][1]) / window)
        return best, most

    def states(self, tid, since, until):
        """What each look that ended in that span saw of a thread: its state and CPU time; None if the thread did not
        exist."""
        changes = self.tasks.get(tid, [])
        ends = self.looks[bisect.bisect_right(self.looks, since) + 1:bisect.bisect_left(self.looks, until)]
        for end in ends: # of one look, and the begin of the next
            place = bisect.bisect_right(changes, (end,), key=lambda change: (change[0],)) - 1
            yield changes[place] if place >= 0 and changes[place][1] else None


class Judge:
    """Each judgment is True, False, or None if unknown."""

    def __init__(self, outside):
        self.outside = outside

    def runq(self, rule, alarm):
        """The thread queued that long between the look before the begin and the one after the end, and did not run in
        between. (When a queueing thread is moved to another CPU, the time so far is counted.)"""
        limit = duration(re.search(r">([0-9a-z.]+)", rule)[1])
        changes = self.outside.tasks.get(alarm["tid"], [])
        first = bisect.bisect_right(changes, (alarm["time"] - alarm["value"],), key=lambda change: (change[0],)) - 1
        before = changes[first] if first >= 0 and changes[first][1] else (0, None, None, 0)
        later = [change for change in changes[first + 1:] if change[0] < alarm["time"] + LATE]
        after = [change for change in later if change[0] >= alarm["time"] and change[1]]
        begin, end = alarm["time"] - alarm["value"], alarm["time"]
        ran = {change[2] for change in later if begin + EDGE < change[0] < end - EDGE and change[1]}
        if not after:
            return None
        if len(ran) <= 1 and any(change[3] - before[3] >= limit for change in after):
            return True
        return None if before[1] is None else False # for a new thread the time from its fork to the queue counts, too

    def wait(self, rule, alarm):
        """All that time the thread did not run, and was in one of the states, except for the queue at the end."""
        states = (re.search(r":([A-Za-z]+)(?:,|>)", rule) or ["", "SDTtKI"])[1]
        seen = [look for look in self.outside.states(alarm["tid"], alarm["time"] - alarm["value"] + EDGE,
                                                     alarm["time"] - EDGE) if look]
        if not seen:
            return None
        if len({look[2] for look in seen}) > 1 or any(look[1] not in states + "R" for look in seen):
            return False
        return True if any(look[1] in states for look in seen) else None

    def stuck(self, rule, alarm):
        return self.wait(rule, alarm)

    def psi(self, rule, alarm):
        name, percent, window = re.fullmatch(r"psi:(.*)>([0-9.]+)%/(.*)", rule).groups()
        # The kernel counts the previous window by its mean, so it may see a little more than there was.
        return self.exceeds("psi:" + name, duration(window), alarm["time"], 0.9 * float(percent) / 100)

    def cpu(self, rule, alarm):
        percent, window = re.search(r">([0-9.]+)%/(.*)", rule).groups()
        return self.exceeds("cpu", duration(window), alarm["time"], 0.95 * float(percent) / 100)

    def exceeds(self, name, window, at, limit):
        """Unknown if the looks are further apart than the window."""
        best, most = self.outside.share(name, window, at)
        return True if best >= limit else None if most >= limit else False


def alarms(path):
    pattern = re.compile(r'trigger time=(\d+) dump=\d+ rule="(.*)" tgid=\d+ tid=(\d+) comm="(.*)" value=(\d+) more=(\d+)')
    found = {}
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            match = pattern.search(line)
            if match and match[2] not in ("signal", "end"):
                found[match.groups()] = {"time": int(match[1]), "rule": match[2], "tid": int(match[3]), "comm": match[4],
                                         "value": int(match[5]), "more": int(match[6])}
    return found.values()


def main():
    judge = Judge(Outside(sys.argv[1]))
    counts, more = collections.defaultdict(collections.Counter), 0
    for alarm in alarms(sys.argv[2]):
        rule = alarm["rule"]
        good = getattr(judge, re.match("[a-z]+", rule)[0], lambda *_: None)(rule, alarm)
        counts[rule][good] += 1
        more += alarm["more"]
        if good is False:
            print("false %s at %d: %s %d, %.3f s" % (rule, alarm["time"], alarm["comm"], alarm["tid"], alarm["value"] / SECOND))
    for rule, count in sorted(counts.items()):
        print("rule %s: %d fired, %d so, %d not so, %d not seen from outside" % (rule, sum(count.values()), count[True],
                                                                            count[False], count[None]))
    print("more %d" % more)
    print("looks %d over %.0f s" % (len(judge.outside.looks), (judge.outside.looks[-1] - judge.outside.looks[0]) / SECOND))
    for name in "psi:cpu.some", "psi:io.some", "psi:memory.some", "cpu":
        totals = judge.outside.totals[name]
        print("share %s %.1f %%" % (name, 100 * (totals[-1][1] - totals[0][1]) / (totals[-1][0] - totals[0][0])))


main()
