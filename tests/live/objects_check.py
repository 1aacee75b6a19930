#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""objects_check.py WORKLOAD TRACE TRUTH [ROUNDS]: compares what the threads of that workload waited for with what it prints.
objects_check.py kworkers TRACE LOG ROUNDS REPORT: functions of kworkers. One verdict for each thread, "yes WHAT" or "no WHAT: WHY"."""
import collections
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import rows

X86 = os.environ.get("MACHINE", os.uname().machine) == "x86_64"  # MACHINE: where the trace was recorded

class Trace:
    """Records are dicts of their fields, as text. objects: by number, with the fields of their names. waits, rows:
    waits and rows of walks, in which `waiter` and `holder` are tasks (tid "0": none) and `for` is the object (kind
    "0": none)."""

    def __init__(self, path):
        self.objects = collections.defaultdict(dict, {"0": {"kind": "0"}})
        self.waits, self.rows = [], []
        dump = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "rwk_dump.py")
        tasks = []
        with subprocess.Popen([sys.executable, "-B", dump, path], stdout=subprocess.PIPE, text=True, errors="replace") as lines:
            for line in lines.stdout:
                word = line.split(None, 1)[0] if line.strip() else ""
                if word == "chunk":
                    tasks = [{"tid": "0", "comm": ""}]
                elif word == "task":
                    tasks.append(fields(line))
                elif word in ("object", "object-name"):
                    self.objects[fields(line)["number"]].update(fields(line))
                elif word in ("wait", "walk-task"):
                    (self.waits if word == "wait" else self.rows).append(self.joined(fields(line), tasks))

    def joined(self, record, tasks):
        record.update(waiter=tasks[int(record["task"])], holder=tasks[int(record.get("owner", "0"))])
        record["for"] = self.objects[record["object"]]
        return record

    def waits_of(self, comm):
        """The thread's waits, in file order."""
        return [wait for wait in self.waits if wait["waiter"]["comm"] == comm]

def fields(line):
    return {key: value.strip('"') for key, value in re.findall(r'(\w+)=("[^"]*"|\S+)', line)}

def call_of(number):
    """As a record has it; 0 is no call."""
    return str(number * 8 + 1)

def by_thread(truth, words=1):
    """The lines of the truth that begin with the same words, a comm first, in their order: their other words, by these."""
    threads = collections.OrderedDict()
    with open(truth, encoding="utf-8") as lines:
        for line in lines:
            first, rest = line.split()[:words], line.split()[words:]
            threads.setdefault(tuple(first), []).append(rest)
    return threads

def members(words):
    """MEMBER=VALUE... as a dict."""
    return dict(word.split("=", 1) for word in words)

def verdict(comm, why):
    """why: "" if all is as it should be."""
    print(f"no {comm}: {comm}: {why}" if why else f"yes {comm}")

CALLS = {"read": 0, "write": 1, "poll": 7, "mmap": 9, "pread64": 17, "accept": 43, "recvfrom": 45, "wait4": 61, "flock": 73, "futex": 202,
         "clock_nanosleep": 230, "epoll_wait": 232, "waitid": 247, "unlinkat": 263} if X86 else {
         "read": 63, "write": 64, "poll": 73, "mmap": 222, "pread64": 67, "accept": 202, "recvfrom": 207, "wait4": 260, "flock": 32, "futex": 98,
         "clock_nanosleep": 115, "epoll_wait": 22, "waitid": 95, "unlinkat": 35}

# --- locks ---

# Compares the locks that threads of tests/live/workloads/locks waited for with what the workload prints: kind, owner,
# whose mmap_lock, whether for reading. LOCKS_RT=1: mutexes and rwsems are built on rt-mutexes. The owner may be unknown in one of ten waits,
# but never wrong.
LOCK, RT_MUTEX, FOR_READING = "18", "4", 0x80000

def judge_locks(call, kind, owner, is_mmap, reads, waits, least):
    asleep = [w for w in waits if w["wait_class"] == "0" and int(w["state"], 16) & 2 and w["call"] == call_of(CALLS[call])]
    own = [w for w in asleep if w["for"]["kind"] == LOCK]
    known = [w for w in own if w["holder"]["tid"] != "0"]
    if len(own) < least or len(own) < 0.9 * len(asleep):
        return f"{len(own)} of {len(asleep)} waits were for a lock, not {least}"
    for wait in own:
        lock = wait["for"]
        if lock["lock"] != (RT_MUTEX if os.environ.get("LOCKS_RT") else kind) or (lock["flags"] == "0x8") != is_mmap:
            return f"a wait was for {lock}"
        if not os.environ.get("LOCKS_RT") and bool(int(wait["flags"], 16) & FOR_READING) != reads:
            return f"a wait was {'not ' if reads else ''}for reading"
        if is_mmap and lock["tgid"] != wait["waiter"]["tgid"]:
            return f"the mmap_lock is of {lock['tgid']}"
        if int(lock["place"], 16) > 1000:
            return f"its number may be an address: {lock['place']}"
    wrong = [w for w in known if w["holder"]["tid"] != owner]
    if wrong:
        return f"{len(wrong)} of {len(known)} were held by {wrong[0]['holder']}, not {owner}"
    if len(known) < 0.9 * len(own):
        return f"only {len(known)} of {len(own)} have an owner"
    print(f"# {call}: {len(own)} waits, {len(known)} owners")
    return ""

def main_locks(trace, truth, rounds):
    trace = Trace(trace)
    for (comm, call, kind, owner, is_mmap, reads), _ in by_thread(truth, 6).items():
        least = int((0.2 if is_mmap == "1" else 0.9) * int(rounds))
        verdict(comm, judge_locks(call, kind, owner, is_mmap == "1", reads == "1", trace.waits_of(comm), least))

# --- mutexes ---

# Compares the holders of the mutexes that threads of tests/live/workloads/mutexes waited for, and the memory that the
# mutexes are in, with what the workload prints. The owner of a mutex may be unknown in one of ten waits, but never
# wrong; a futex that is not a mutex has none. MUTEXES_RT=1: only heap and data are known, as on 6.1 and RT.
FUTEX, LEAST = "14", 1_000_000

HEAP, FILE, SHARED = "1", "4", "5"

def misplaced(there, base, mapping, offset, inode):
    """Why the mapping of some of these waits is missing or wrong; empty if all are right."""
    known = [w["for"] for w in there if w["for"]["mapping"] != "0"]
    wrong = [o for o in known if o["mapping"] != mapping or
             (mapping == SHARED and int(o["offset"], 16) - int(o["place"], 16) != int(offset, 16) - base) or
             (inode != "0" and o["inode"] != inode)]
    if mapping == "0":
        return ""
    if wrong:
        return f"{len(wrong)} of {len(there)} were in {wrong[0]}, not in {mapping}+{offset}"
    may_be_unknown = os.environ.get("MUTEXES_RT") and mapping not in (HEAP, FILE)
    if len(known) < 0.9 * len(there) and not may_be_unknown:
        return f"only of {len(known)} of {len(there)} the place is known"
    return ""

def judge_mutexes(comm, places, owner, where, waits, rounds):
    own = [w for w in waits if w["wait_class"] == "0" and int(w["length"]) >= LEAST and w["for"]["kind"] == FUTEX]
    there = [w for w in own if not places or int(w["for"]["place"], 16) in places]
    held = [w for w in own if w["holder"]["tid"] != "0"]
    right = [w for w in there if w["holder"]["tid"] == owner]
    if len(there) < 0.9 * rounds:
        return f"{len(there)} waits for it, not {rounds}"
    if owner == "0" and len(right) != len(there):
        return f"{len(there) - len(right)} of {len(there)} were held by somebody who is not known: {there[0]['holder']}"
    if owner != "0" and [w for w in held if w["holder"]["tid"] != owner]:
        return f"some of {len(own)} were held by others than {owner}: {set(w['holder']['tid'] for w in held)}"
    if owner != "0" and len(held) != len(right):
        return f"{len(held) - len(right)} barriers have an owner"
    if owner != "0" and len(right) < 0.9 * len(there):
        return f"only {len(right)} of {len(there)} have their owner"
    why = misplaced(there, min(places, default=0), *where)
    if not why:
        print(f"# {comm}: {len(there)} waits, {len(right) if owner != '0' else 0} owners")
    return why

def main_mutexes(trace, truth, rounds):
    trace = Trace(trace)
    for (comm, place, words, owner), [where] in by_thread(truth, 4).items():
        places = {int(place, 16) + 4 * i for i in range(int(words))}
        verdict(comm, judge_mutexes(comm, places, owner, where, trace.waits_of(comm), int(rounds)))

# --- objects ---

# Compares what threads of tests/live/workloads/objects, or away, waited for with what the workload prints. The object
# may be unknown for threads whose descriptor changes while they sleep, but never wrong. Each verdict is followed by
# figures: waits, and those with an object.
MAY_BE_UNKNOWN = re.compile(r"w-(swap|close|dup)-.$")
PRECISE = 0.95 if "MACHINE" in os.environ else 0.99  # an emulated machine takes longer from the call to the switch

def is_object_objects(wait, wanted):
    """The requested length of a sleep is read from its timer, less the time until the thread left its CPU, which may
    be long."""
    for key, value in wanted.items():
        if key == "asked":
            if int(wait["asked"]) > 1.01 * int(value):  # 0: the timer was not found
                return False
        elif wait["for"].get(key) != value:
            return False
    return True

def judge_objects(comm, call, kind, wanted, waits, rounds, may_be_unknown):
    own = [w for w in waits if w["call"] == call_of(CALLS[call]) and w["wait_class"] == "0" and int(w["length"]) >= LEAST and
           int(w["state"], 16) & 1]
    known = [w for w in own if w["object"] != "0"]
    wrong = [w for w in known if w["for"]["kind"] != kind or not any(is_object_objects(w, one) for one in wanted)]
    if len(own) < 0.9 * rounds:
        return f"only {len(own)} waits in {call}, not {rounds}"
    if wrong:
        return f"{len(wrong)} of {len(own)} were for {wrong[0]['for']} ({wrong[0]}), not {wanted[0]}"
    asked = sorted(int(w["asked"]) for w in known if "asked" in wanted[0])
    if asked and asked[len(asked) // 2] < PRECISE * int(wanted[0]["asked"]):
        return f"half of the sleeps were asked for less than {asked[len(asked) // 2]}"
    if len(known) < len(own) and not may_be_unknown:
        return f"{len(own) - len(known)} of {len(own)} have no object"
    print(f"# {comm}: {len(own)} waits, {len(known)} objects")
    return ""

def main_objects(trace, truth, rounds):
    trace = Trace(trace)
    for (comm, call, kind), wanted in by_thread(truth, 3).items():
        unknown = MAY_BE_UNKNOWN.match(comm)
        share = int(rounds) // 2 if unknown else int(rounds)
        verdict(comm, judge_objects(comm, call, kind, list(map(members, wanted)), trace.waits_of(comm), share, unknown))
    # A wait whose end the BPF programs did not see is written late, after its call: there are few of these.
    blocked = [w for w in trace.waits if w["waiter"]["comm"].startswith("w-") and w["wait_class"] == "0"]
    left = [w["waiter"]["comm"] for w in blocked if w["call"] == "0"]
    verdict("calls", f"{sorted(left)} waited in no call" if len(left) * 50 > len(blocked) else "")

# --- ready ---

# Compares the descriptors that ended the waits of tests/live/workloads/ready with what the calls returned. What was
# ready in an epoll may be unknown in one of twenty waits, but never wrong. If another file got the descriptor
# meanwhile, the descriptor must be unknown, but not the file. A poll or select of one descriptor has that as its
# object, whether it is ready or not, but none if another file got the descriptor; nor has one of several, and of
# neither it is said what was ready.
READY_CALLS = {"epoll": (232, 281), "poll": (7, 271), "select": (23, 270)} if X86 else {"epoll": (22,), "poll": (73,), "select": (72,)}
EVENTFD, EPOLL = "8", "12"
RTLOCK_WAIT = 0x1000

def last_wait(calls, since, until, waits):
    """The wait that ended last during the call; None: it was too short for a record. With PREEMPT_RT, another one may
    follow it: for the spinlock of the file's wait queue, which the waker may still hold when the call leaves the
    queue."""
    found = [w for w in waits if since < int(w["time"]) <= until and w["call"] in calls and w["wait_class"] == "0"
             and not int(w["state"], 0) & RTLOCK_WAIT]
    return found[-1] if found else None

def is_right_ready(wait, found, descriptor, kind, inode, swapped):
    number = int(wait.get("ready", "0"))
    if descriptor < 0:
        return found["kind"] == "0" and not number
    if number and (swapped or number != descriptor + 1):
        return False
    if found["kind"] == "0":
        return not number
    if kind == EVENTFD and found["descriptor"] != ("0" if swapped else str(descriptor + 1)):
        return False
    return found["kind"] == kind and (kind == EVENTFD or found["inode"] == inode)

def is_for_ready(wait, comm, kind, inode):
    """None if unknown."""
    found = wait["for"]
    if "-epoll" in comm:
        return found["kind"] == EPOLL
    if not comm.endswith(("-one", "-time")):
        return found["kind"] == "0"
    return None if found["kind"] == "0" else found["kind"] == kind and found["inode"] == inode

def judge_ready(comm, lines, trace, rounds):
    calls, waits = list(map(call_of, READY_CALLS[comm.split("-")[1]])), trace.waits_of(comm)
    since, told, known, numbers, objects = 0, 0, 0, 0, 0
    for time, descriptor, kind, inode in lines:
        wait = last_wait(calls, since, int(time), waits)
        since = int(time)
        if not wait:
            continue
        found = trace.objects[wait.get("ready_object", "0")]
        if not is_right_ready(wait, found, int(descriptor) if "-epoll" in comm else -1, kind, inode, comm.endswith("-swap")):
            return f"not {descriptor}, kind {kind}, inode {inode}: {wait} {found}"
        meant = is_for_ready(wait, comm, kind, inode)
        if meant is False:
            return f"not for kind {kind}, inode {inode}: {wait}"
        objects += meant is True
        told, known, numbers = told + 1, known + (found["kind"] != "0"), numbers + (wait.get("ready", "0") != "0")
    if told < 0.9 * rounds:
        return f"only {told} waits, not {rounds}"
    if "-epoll" in comm and not comm.endswith("-time") and known < 0.95 * told:
        return f"only {known} of {told} waits say what was ready"
    if comm in ("r-epoll", "r-epoll-one") and numbers < 0.95 * told:
        return f"only {numbers} of {told} waits say by which descriptor"
    if objects < 0.95 * told:
        return f"only {objects} of {told} waits say what they were for"
    print(f"# {comm}: {told} waits, {objects} of them for what is known; what was ready: {known} objects, {numbers} descriptors")
    return ""

def main_ready(trace, truth, rounds):
    trace = Trace(trace)
    for (comm,), lines in by_thread(truth).items():
        verdict(comm, judge_ready(comm, lines, trace, int(rounds)))

# --- asleep ---

# Compares what the threads of tests/live/workloads/asleep sleep on according to the walk with what the workload prints.
# LOCKS_RT=1: all locks are rt-mutexes, whose readers are unknown. ASLEEP_USERS=1: there are user stacks, and the holder
# of a mutex of the process is known. ASLEEP_OLD=1: the kernel does not say which mapping a futex is in.
READS = 0x8000
RT, USERS, OLD = (os.environ.get(name) for name in ("LOCKS_RT", "ASLEEP_USERS", "ASLEEP_OLD"))

def is_right_asleep(key, value, row):
    if key == "asked":  # less the time until it was asleep; unknown if that time is unknown
        return 0.98 * int(value) < int(row["asked"]) <= int(value) if row["bound"] == "1" else row["asked"] == "0"
    if key == "lock" and RT:
        return row["for"].get("lock") == RT_MUTEX
    if key == "mapping" and OLD:
        return row["for"].get("mapping") == "0"
    if key == "holder":
        return row["holder"]["tid"] == (value if USERS else "0")
    if key in ("owner", "reader"):
        return row["holder"]["tid"] == value and bool(int(row["flags"], 16) & READS) == (key == "reader")
    return row["for"].get(key) == value

def judge_asleep(call, kind, wanted, rows):
    if len(rows) != 1:
        return f"walked {len(rows)} times"
    row = rows[0]
    if RT and "reader" in wanted and row["object"] == "0":
        return ""
    if row["call"] != call_of(CALLS[call]):
        return f"call {row['call']}, not {call}"
    if row["for"]["kind"] != kind:
        return f"not for one of kind {kind}: {row}"
    wrong = [key for key in wanted if not is_right_asleep(key, wanted[key], row)]
    return f"{wrong}: {row}, not {wanted}" if wrong else ""

def main_asleep(trace, truth):
    (_, process), *threads = [line.split() for line in open(truth, encoding="utf-8")]
    rows = [row for row in Trace(trace).rows if row["waiter"]["tgid"] == process]  # other tests have such threads, too
    for comm, *told in threads:
        if told:  # the last line is "ready"
            call, kind, *wanted = told
            verdict(comm, judge_asleep(call, kind, members(wanted), [row for row in rows if row["waiter"]["comm"] == comm]))

# --- claims ---

# What the processes of tests/live/workloads/claims wait for, according to their open waits and to a walk.
NOT_ENDED, FAULT, PIPE, NONE = 1024, "3", "3", "0"
READ, WRITE = call_of(CALLS["read"]), call_of(CALLS["write"])
WANTED = {"w-read": (READ, PIPE), "w-notify": (READ, NONE), "w-replaced": (READ, NONE), "w-touch": (FAULT, NONE),
          "w-write": (WRITE, NONE), "w-direct": (WRITE, NONE), "w-iced": ("0", NONE), "w-spin": ("0", NONE)}

def judge_claims(comm, records):
    if len(records) != 1:
        return f"recorded {len(records)} times"
    found = records[0].get("call", "0"), records[0]["for"]["kind"]
    return "" if found == WANTED[comm] else f"call and kind {found}, not {WANTED[comm]}: {records[0]}"

def main_claims(trace, truth):
    trace = Trace(trace)
    with open(truth, encoding="utf-8") as lines:
        pids = dict(line.split() for line in lines if " " in line)
    for comm in filter(WANTED.get, pids):
        waits = [wait for wait in trace.waits if wait["waiter"]["tid"] == pids[comm] and int(wait["flags"], 16) & NOT_ENDED]
        rows = [row for row in trace.rows if row["waiter"]["tid"] == pids[comm]]
        verdict(comm, judge_claims(comm, waits))
        verdict(comm + " in a walk", judge_claims(comm, rows))

# --- callers ---

# Compares the calls and objects of the waits of tests/live/workloads/callers with what the workload prints. Only waits in a
# 32-bit call may have an unknown object.
COMPAT, IO_WORKER, BLOCK = "2", "5", "20"
BRIEF = "c-direct", "c-flush"  # the waits of others end later than LEAST
CALLED = re.compile(r"-(\d+) +\[\d+\].* (\d+)\.(\d{6}): workqueue_execute_(start|end): .*function ([^\s\[]+)")
SLACK = 20_000  # ns: the time in the log is in us, and clocks are adjusted

def judge_callers(comm, context, call, kind, wanted, waits, rounds):
    own = [w for w in waits if w["wait_class"] == "0" and (comm in BRIEF or int(w["length"]) >= LEAST)]
    # A worker of io_uring makes no calls: it always waits in its own context.
    there = [w for w in own if w["call"] == str(int(call) * 8 + int(context))]
    known = [w for w in there if w["object"] != "0"]
    wrong = [w for w in known if w["for"]["kind"] != kind or any(w["for"].get(key) != value for key, value in wanted.items())]
    alien = [w for w in own if context == IO_WORKER and w["call"] not in (context, "0")]  # 0: its end was not seen
    if alien or len(own) - len(there) > 0.02 * len(own) and context == IO_WORKER:
        return f"{len(own) - len(there)} of {len(own)} are those of no worker, {len(alien)} in a call"
    if len(there) < 0.8 * rounds:
        return f"only {len(there)} of {len(own)} waits in {call}, not {rounds}"
    if wrong and not (kind == BLOCK and all(w["for"]["kind"] in ("18", "19") for w in wrong)):
        return f"{len(wrong)} of {len(there)} were for {wrong[0]['for']}, not {wanted}"
    if len(known) < 0.99 * len(there) and context not in (COMPAT, IO_WORKER):
        return f"{len(there) - len(known)} of {len(there)} have no object"
    print(f"# {comm}: {len(there)} waits, {len(known) - len(wrong)} objects")
    return ""

def main_callers(trace, truth, rounds):
    trace, threads = Trace(trace), by_thread(truth)
    (process,), = threads.pop(("process",))
    trace.waits = [wait for wait in trace.waits if wait["waiter"]["tgid"] == process]  # other tests have such threads, too
    for (comm, *_), lines in threads.items():
        if lines[0] == ["missing"]:
            print(f"# {comm}: this machine has none")
            continue
        (context, call, kind, *wanted), = lines
        verdict(comm, judge_callers(comm, context, call, kind, members(wanted), trace.waits_of(comm), int(rounds)))

# Compares the functions that waits of kworkers are in with the tracepoints workqueue_execute_start and _end of the same
# time, as tracefs prints them by CLOCK_MONOTONIC. CALLERS_NO_LOOP=1: there is no loop device, but some kworkers waited.
def executions(log):
    """tid -> [(begin, end, function)], in time order."""
    done, begun = collections.defaultdict(list), {}
    with open(log, encoding="utf-8", errors="replace") as lines:
        for found in map(CALLED.search, lines):
            if not found:
                continue
            tid, time = int(found[1]), int(found[2]) * 10**9 + int(found[3]) * 1000
            if found[4] == "start":
                begun[tid] = time, found[5]
            elif tid in begun:
                begin, function = begun.pop(tid)
                done[tid].append((begin, time, function))
    return done

def main_kworkers(path, log, rounds, report):
    done, counts, wrong, missed = executions(log), collections.Counter(), [], 0
    dump = subprocess.run([report, "--dump", path], capture_output=True, check=False).stdout
    clock = re.search(rb"^  clock time=(\d+).* realtime=(\d+)", dump, re.M)  # the trace may be of another machine
    since_boot = int(clock[2]) - int(clock[1])
    for wait in rows.read(report, path, "--throughout", "--source", "offcpu"):
        if not wait["comm"].startswith("kworker/") or wait["class"] != "blocked" or wait["state"] not in ("S", "D"):
            continue
        middle = wait["realtime_ns"] - since_boot - wait["run_queue_ns"] - wait["blocked_ns"] // 2
        within = [function for begin, end, function in done[wait["tid"]] if begin - SLACK <= middle <= end + SLACK]
        if wait.get("object_kind") != "work":
            # Without a stack: the BPF programs did not see its end, and it was written later.
            missed += bool(within) and not wait.get("object_kind") and not wait["stack"].startswith("[Missed")
            continue
        if not within and (not done[wait["tid"]] or middle < done[wait["tid"]][0][0] or middle > done[wait["tid"]][-1][1]):
            continue  # outside the time that the log covers
        counts[wait["object_name"]] += 1
        if wait["object_name"] not in within:
            wrong.append(f"{wait['comm']} {wait['tid']} in {wait['object_name']}, not in {within}")
    total = sum(counts.values())
    print(f"# kworkers: {total} waits in a function, {dict(counts.most_common(5))}; {missed} more without one")
    verdict("functions of kworkers", f"{len(wrong)} of {total}: {wrong[0]}" if wrong else "")
    loop = sum(count for function, count in counts.items() if function.startswith("loop_"))
    if os.environ.get("CALLERS_NO_LOOP"):
        verdict("there are some", "" if total else "no wait in a function")
    else:
        verdict("those of a loop device", f"{loop} waits, not {rounds}" if loop < 0.5 * int(rounds) else "")
    verdict("all of them have functions", f"{missed} have none, {total} do" if missed > 0.02 * total else "")

if __name__ == "__main__":
    {"locks": main_locks, "mutexes": main_mutexes, "objects": main_objects, "ready": main_ready, "asleep": main_asleep,
     "claims": main_claims, "callers": main_callers, "kworkers": main_kworkers}[sys.argv[1]](*sys.argv[2:])
