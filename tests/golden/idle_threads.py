# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The idle threads of a trace, computed from its waits in --dump as rwalker-report(1) describes --idle and FORMAT.md
each field."""
import collections

SECOND = 10**9
S, D, P, NOLOAD, BLOCKED = 1, 2, 0x40, 0x400, "0"
BEGAN_BEFORE, NOT_ENDED, ENDLESS, FOR_LOCKED = 256, 1024, 4194304, 8388608  # flags of waits
POLLS = {"57", "185", "2169", "2161"}  # x86-64's poll, select, ppoll, pselect6, as in the field for calls
TASK, SOFTIRQ, UNKNOWN = "1", "2", "4"  # contexts of wakers
NOTHING, EPOLL, FUTEX, TCP, UDP, UNIX = "0", "12", "14", "4", "5", "6"  # kinds of objects
HELD_UP = {"17", "18", "19"}  # a kworker's function, a lock, a block device
TCP_LISTEN = "10"
UNKNOWN_OBJECT = {"kind": NOTHING, "state": "0"}


class Thread:
    def __init__(self, kernel, process):
        self.kernel, self.process = kernel, process
        self.waits, self.whole = 0, 0  # with records of their own; of these, longer than the recording
        self.asleep = self.queued = self.ran = self.brief = self.brief_asleep = self.brief_d = self.brief_queued = 0  # ns
        self.held_up = self.needed = self.pooled = self.for_more = False
        self.woken_by = set()

    def busy(self):
        return self.queued + self.ran + self.brief_d + self.brief_queued

    def never_ran(self):
        return self.waits == self.whole and not self.brief and not self.busy()

    def hardly_ran(self):
        often = self.waits - 1 > self.asleep / SECOND  # its first and last one were cut off
        return not self.for_more and not often and self.busy() + self.brief <= self.asleep / 100

    def may_be_idle(self):
        if not self.waits or self.held_up or self.needed:
            return False
        return self.busy() <= self.asleep / 100 if self.kernel else self.never_ran() or self.hardly_ran()


def comes_some_time(call, flags, thing):
    """Whether a thread may wait for this as long as it has nothing to do."""
    if thing["kind"] == FUTEX or thing["kind"] in (TCP, UNIX) and thing["state"] == TCP_LISTEN:
        return True
    return (thing["kind"] in (NOTHING, EPOLL) or call in POLLS) and bool(flags & ENDLESS)


def add_blocked(own, wait, thing, in_d, asleep):
    flags, state = int(wait["flags"], 16), int(wait["state"], 16)
    own.asleep += asleep
    own.held_up |= in_d or not state & (S | D | (P if own.kernel else 0)) or bool(flags & FOR_LOCKED)
    own.held_up |= wait["owner"] is not None or thing["kind"] in HELD_UP
    own.for_more |= not comes_some_time(wait["call"], flags, thing)
    own.pooled |= thing["kind"] == FUTEX


def add_others(threads, own, wait, came_from, in_d):
    """The thread that ended this wait, or held its object."""
    called = wait["context"] in (TASK, UNKNOWN)
    sent = wait["context"] == SOFTIRQ and came_from["kind"] in (TCP, UDP)
    if wait["waker"] and called:
        own.woken_by.add(wait["waker"])
    if own.kernel and not in_d:
        return
    if wait["waker"] in threads and (called or sent):
        threads[wait["waker"]].needed = True
    if wait["owner"] in threads:
        threads[wait["owner"]].needed = True


def add_wait(threads, own, wait, objects, span):
    """`waker` and `owner` of the wait are threads, or None."""
    end, length, state = int(wait["time"]), int(wait["length"]), int(wait["state"], 16)
    inside = max(0, min(end, span[1]) - max(end - length, span[0]))
    queued = min(int(wait["run_queue"]), inside)
    in_d = bool(state & D and not state & NOLOAD)
    thing = objects.get(wait["object"], UNKNOWN_OBJECT)
    own.waits += 1
    own.whole += end - length < span[0] and bool(int(wait["flags"], 16) & NOT_ENDED)
    own.queued += queued
    add_others(threads, own, wait, objects.get(wait["ready_object"], thing), in_d)
    if wait["wait_class"] == BLOCKED:
        add_blocked(own, wait, thing, in_d, inside - queued)


def add_sums(own, row):
    """Brief waits, of which only the sums are known."""
    own.ran += int(row["running"])
    for name in row:
        if not name.endswith("_count"):
            continue
        total, queued = int(row[name[:-6] + "_total"]), int(row[name[:-6] + "_run_queue"])
        own.whole -= bool(int(row[name]))
        own.brief += total
        own.brief_asleep += total - queued
        if name.startswith("uninterruptible"):
            own.brief_d += total
        else:
            own.brief_queued += queued


def are_quiet(threads, wakers):
    """For threads that neither work nor are held up."""
    return len(wakers) < 2 and all(not threads[waker].held_up and threads[waker].busy() <= threads[waker].asleep / 100
                                   for waker in wakers if waker in threads)


def idle_threads(tasks, waits, sums, objects, span):
    """{thread: ns that it slept} of the idle ones. tasks: {thread: (is of the kernel, process)}."""
    threads = {thread: Thread(*about) for thread, about in tasks.items()}
    for thread, wait in waits:
        add_wait(threads, threads[thread], wait, objects, span)
    for thread, rows in sums.items():
        for row in rows:
            add_sums(threads[thread], row)
    pools = collections.Counter(own.process for own in threads.values() if own.pooled and own.may_be_idle())
    return {thread: own.asleep + own.brief_asleep for thread, own in threads.items() if own.may_be_idle() and
            (own.kernel or own.never_ran() or
             (are_quiet(threads, own.woken_by) and (not own.pooled or pools[own.process] > 1)))}
