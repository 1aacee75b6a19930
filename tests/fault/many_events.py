#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""many_events.py: prints random events in many chunks, as text for make_trace. many_events.py DUMP: compares them with what
--dump printed of that trace, field by field, and prints differences."""
import random, sys

CHUNKS, EVENTS, TASKS, CPUS, MOST = 8, 1000, 9, 4, 2**64 - 1
TASK_FIELDS = {"task", "waker", "owner", "target"}


def frames(pick, base):
    count = pick.randrange(13)
    return [pick.randrange(1, 2**63) if pick.randrange(300) == 0 else base + (i if i > 3 else pick.randrange(40)) * 16 for i in range(count)]


def wait(pick, time, last):
    """Often it begins when the one before ended, as when each task makes way for the next."""
    length = time - last if pick.randrange(2) else pick.randrange(time)
    event = {"wait_class": pick.randrange(5), "state": pick.randrange(3), "length": length, "flags": pick.choice([0, 384]),
             "out_cpu": pick.randrange(CPUS), "throttled": pick.choice([0, 0, length // 4]), "object": pick.choice([0, 7]),
             "call": pick.choice([0, pick.randrange(1, 400)]), "asked": pick.choice([0, 0, MOST]), "owner": pick.choice([0, 3]),
             "ready": pick.choice([0, 0, 99]), "ready_object": pick.choice([0, 7])}
    event["throttler"] = event["throttled"] and pick.randrange(3)
    event["run_queue"] = length // 2 if event["wait_class"] in (0, 4) else length - event["throttled"]
    if event["wait_class"] == 0 and pick.randrange(2):
        event.update(context=pick.randrange(1, 5), waker=1 + pick.randrange(TASKS), woken=length // 3)
    return event


def sums(pick, time):
    event = {"span": 5, "running": pick.choice([time // 2, MOST])}
    for kind in "interruptible uninterruptible other_blocked preempted yielded cancelled started".split():
        if pick.randrange(2):
            event.update({f"{kind}_count": pick.randrange(1, 9), f"{kind}_total": time, f"{kind}_run_queue": time // 3, f"{kind}_throttled": time // 4})
    return event


def make_events():
    pick, time, last = random.Random(20261121), 10**6, 10**6
    for _ in range(CHUNKS * EVENTS):
        time += 1 + pick.randrange(5000)
        kind = pick.choice(["sample", "wait", "wait", "wait", "wake", "user-stack", "wait-sums", "walk-task"])
        event = {"task": 1 + pick.randrange(TASKS), "time": time, "kernel": frames(pick, 1 << 32), "user": frames(pick, 0x7F0000001000)}
        if kind != "walk-task":
            event["source"] = 3
        if kind != "wait-sums":
            event["cpu"] = pick.randrange(CPUS)
        if kind == "sample":
            event.update(period=pick.choice([0, 0, pick.randrange(MOST)]), probe=pick.choice([0, pick.randrange(1 << 16)]))
        elif kind == "wait":
            event, last = {**event, **wait(pick, time, last)}, time
        elif kind == "wake":
            event.update(context=2, target=1 + pick.randrange(TASKS))
        elif kind == "user-stack":
            event.update(since=time - last)
        elif kind == "wait-sums":
            event.update(sums(pick, time))
        else:
            event.update(walk=1, state=2, wait=pick.randrange(time), call=9, object=pick.choice([0, 7]), asked=MOST, owner=2)
        if kind in ("user-stack", "wait-sums"):
            del event["kernel"]
        if kind == "wait-sums":
            del event["user"]
        yield kind, event


def text_of(value):
    return (";".join(map(hex, value)) or "-") if isinstance(value, list) else str(value)


def write():
    print('source id=3 kind=2 weight=2 name="sched_switch"')
    for number, (kind, event) in enumerate(make_events()):
        if number % EVENTS == 0:
            print("chunk type EVENTS")
            for task in range(1, TASKS + 1):
                print(f'task tgid={100 + task // 2} tid={task} start={10**9 * task} cgroup={MOST - task} comm="task-{task}"')
        print(kind, *(f"{name}={text_of(value)}" for name, value in event.items()))


def read(path):
    """Like make_events(), with all fields."""
    for line in open(path, encoding="utf-8"):
        kind, *words = line.split()
        if kind == "chunk":
            tasks, nodes = [0], {0: [], 1: []}
        elif kind == "node":
            number, parent, address = int(words[0]), int(words[1][len("parent="):]), int(words[2][len("address="):], 0)
            nodes[number] = [address] + nodes[parent]
        elif kind in ("task", "sample", "wait", "wake", "user-stack", "wait-sums", "walk-task"):
            values = {name: value for name, _, value in (word.partition("=") for word in words)}
            if kind == "task":
                tasks.append(int(values["tid"]))
                continue
            values = {name: int(value, 0) for name, value in values.items()}
            for name in values:
                values[name] = tasks[values[name]] if name in TASK_FIELDS else nodes[values[name]] if name in ("kernel", "user") else values[name]
            yield kind, values


def check(path):
    made, got = list(make_events()), list(read(path))
    if len(made) != len(got):
        print(f"{len(got)} events, not {len(made)}")
    for number, ((kind, event), (other, values)) in enumerate(zip(made, got)):
        values["flags"] &= event.get("flags", values["flags"])
        wrong = [f"{name} {values.get(name)}, not {value}" for name, value in event.items() if values.get(name) != value]
        if kind != other or wrong:
            print(f"event {number}, {kind}: {other} {' '.join(wrong)}")


check(sys.argv[1]) if len(sys.argv) > 1 else write()
