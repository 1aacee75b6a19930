#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""objects_check.py TRACE TRUTH ROUNDS: what the waits of tests/live/workloads/objects were for, as tests/rwk_dump.py reads the
trace, against what the workload says. One line a thread: "yes WHAT" or "no WHAT: WHY". Of threads whose descriptor changes
while they sleep the object may be unknown, but never another one. A figure follows each: waits, of them with an object."""
import collections, os, re, subprocess, sys

CALLS = {"read": 0, "recvfrom": 45, "accept": 43, "epoll_wait": 232, "futex": 202, "wait4": 61, "clock_nanosleep": 230,
         "flock": 73} if os.uname().machine == "x86_64" else {
         "read": 63, "recvfrom": 207, "accept": 202, "epoll_wait": 22, "futex": 98, "wait4": 260, "clock_nanosleep": 115,
         "flock": 32}
MAY_BE_UNKNOWN = re.compile(r"w-(swap|close)-.$")
LEAST = 1_000_000

def fields(line):
    return {key: value.strip('"') for key, value in re.findall(r'(\w+)=("[^"]*"|\S+)', line)}

def read_trace(path):
    """The tasks' comms, objects by number, waits of each comm."""
    dump = os.path.join(os.path.dirname(__file__), "..", "rwk_dump.py")
    objects, tasks, waits = collections.defaultdict(dict), [], []
    for line in subprocess.run([sys.executable, "-B", dump, path], stdout=subprocess.PIPE, text=True, errors="replace").stdout.split("\n"):
        word = line.split(None, 1)[0] if line.strip() else ""
        if word == "chunk":
            tasks = []
        elif word == "task":
            tasks.append(fields(line)["comm"])
        elif word in ("object", "object-name"):
            found = fields(line)
            objects[found["number"]].update(found)
        elif word == "wait":
            wait = fields(line)
            wait["comm"] = tasks[int(wait["task"]) - 1]
            waits.append(wait)
    return objects, waits

def is_object(found, wanted, wait):
    """What a sleep was asked for is read off its timer, less the time until the thread left its CPU, which may be long."""
    for key, value in wanted.items():
        if key == "asked":
            if int(wait["asked"]) > 1.01 * int(value):  # 0: the timer was not found
                return False
        elif found.get(key) != value:
            return False
    return True

def judge(comm, call, kind, wanted, waits, objects, rounds):
    own = [w for w in waits if w["comm"] == comm and int(w["call"]) == CALLS[call] * 8 + 1 and
           w["wait_class"] == "0" and int(w["length"]) >= LEAST and int(w["state"], 16) & 1]
    known = [w for w in own if w["object"] != "0"]
    wrong = [w for w in known if objects[w["object"]]["kind"] != kind or
             not any(is_object(objects[w["object"]], one, w) for one in wanted)]
    if len(own) < 0.9 * rounds:
        return f"only {len(own)} waits in {call}, not {rounds}"
    if wrong:
        return f"{len(wrong)} of {len(own)} were for {objects[wrong[0]['object']]} ({wrong[0]}), not {wanted[0]}"
    asked = sorted(int(w["asked"]) for w in known if "asked" in wanted[0])
    if asked and asked[len(asked) // 2] < 0.99 * int(wanted[0]["asked"]):
        return f"half of the sleeps were asked for less than {asked[len(asked) // 2]}"
    if len(known) < len(own) and not MAY_BE_UNKNOWN.match(comm):
        return f"{len(own) - len(known)} of {len(own)} have no object"
    print(f"# {comm}: {len(own)} waits, {len(known)} objects")
    return ""

def main(trace, truth, rounds):
    objects, waits = read_trace(trace)
    threads = collections.OrderedDict()
    for line in open(truth):
        comm, call, kind, *members = line.split()
        threads.setdefault((comm, call, kind), []).append(dict(member.split("=", 1) for member in members))
    for (comm, call, kind), wanted in threads.items():
        share = int(rounds) // 2 if MAY_BE_UNKNOWN.match(comm) else int(rounds)
        why = judge(comm, call, kind, wanted, waits, objects, share)
        print(f"no {comm}: {comm}: {why}" if why else f"yes {comm}")
    # A wait whose end the kernel hid from the programs is written late, when its call is over: there are few.
    blocked = [w for w in waits if w["comm"].startswith("w-") and w["wait_class"] == "0"]
    left = [w["comm"] for w in blocked if w["call"] == "0"]
    print(f"no calls: {sorted(left)} waited in no call" if len(left) * 50 > len(blocked) else "yes calls")

main(*sys.argv[1:])
