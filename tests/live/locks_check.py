#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""locks_check.py TRACE TRUTH ROUNDS: the locks that waits of tests/live/workloads/locks were for, as
tests/rwk_dump.py reads the trace, against what the workload says: kind, owner, whose mmap_lock. One line a thread: "yes WHAT" or
"no WHAT: WHY". LOCKS_RT=1: mutexes and rwsems are built on rt-mutexes. An owner may be unknown in one of ten waits, but never another one."""
import os, re, subprocess, sys

CALLS = {"write": 1, "mmap": 9} if os.uname().machine == "x86_64" else {"write": 64, "mmap": 222}
LOCK, RT_MUTEX = "18", "4"

def fields(line):
    return {key: value.strip('"') for key, value in re.findall(r'(\w+)=("[^"]*"|\S+)', line)}

def read_trace(path):
    dump = os.path.join(os.path.dirname(__file__), "..", "rwk_dump.py")
    objects, tasks, waits = {"0": {"kind": "0"}}, [], []
    for line in subprocess.run([sys.executable, "-B", dump, path], stdout=subprocess.PIPE, text=True, errors="replace").stdout.split("\n"):
        word = line.split(None, 1)[0] if line.strip() else ""
        if word == "chunk":
            tasks = [{"tid": "0"}]
        elif word == "task":
            tasks.append(fields(line))
        elif word == "object":
            objects[fields(line)["number"]] = fields(line)
        elif word == "wait":
            wait = fields(line)
            wait.update(waiter=tasks[int(wait["task"])], holder=tasks[int(wait.get("owner", "0"))])
            waits.append(wait)
    return objects, waits

def judge(comm, call, kind, owner, is_mmap, objects, waits, least):
    asleep = [w for w in waits if w["waiter"]["comm"] == comm and w["wait_class"] == "0" and int(w["state"], 16) & 2 and
              w["call"] == str(CALLS[call] * 8 + 1)]
    own = [w for w in asleep if objects[w["object"]]["kind"] == LOCK]
    known = [w for w in own if w["holder"]["tid"] != "0"]
    if len(own) < least or len(own) < 0.9 * len(asleep):
        return f"{len(own)} of {len(asleep)} waits were for a lock, not {least}"
    for wait in own:
        lock = objects[wait["object"]]
        if lock["lock"] != (RT_MUTEX if os.environ.get("LOCKS_RT") else kind) or (lock["flags"] == "0x8") != (is_mmap == "1"):
            return f"a wait was for {lock}"
        if is_mmap == "1" and lock["tgid"] != wait["waiter"]["tgid"]:
            return f"the mmap_lock is of {lock['tgid']}"
        if int(lock["place"], 16) > 1000:
            return f"its number may be an address: {lock['place']}"
    wrong = [w for w in known if w["holder"]["tid"] != owner]
    if wrong:
        return f"{len(wrong)} of {len(known)} were held by {wrong[0]['holder']}, not {owner}"
    if len(known) < 0.9 * len(own):
        return f"only {len(known)} of {len(own)} have an owner"
    print(f"# {comm}: {len(own)} waits, {len(known)} owners")
    return ""

def main(trace, truth, rounds):
    objects, waits = read_trace(trace)
    for line in open(truth):
        comm, call, kind, owner, is_mmap = line.split()
        least = int(0.2 * int(rounds)) if is_mmap == "1" else int(0.9 * int(rounds))
        why = judge(comm, call, kind, owner, is_mmap, objects, waits, least)
        print(f"no {comm}: {comm}: {why}" if why else f"yes {comm}")

if __name__ == "__main__":
    main(*sys.argv[1:])
