#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""exports_check.py REPORT TRACE OPTION...: the exports to Chrome, Firefox and speedscope, read with Python's own reader of
JSON, have the events, weights, stacks and containers of --export sqlite, and the stacks of --folded. Prints a line for each
difference, nothing if there are none."""
import collections
import decimal
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import rows as events_of

INVISIBLE = {*range(0x7F, 0xA0), *range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x206A), 0xFEFF}
MISSING = ("[Missed User Stack]", "[Missed Kernel Stack]", "[no call chain]", "[no kernel frames]", "[no user frames]")
FEW_OBJECTS = 4096
wrong = []


def say(text):
    wrong.append(text)


def run(report, *options):
    done = subprocess.run([report, "--no-cache", "--no-local-files", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(options)}: exit {done.returncode}: {done.stderr.decode()[-200:]}")
    return done.stdout.decode("utf-8")  # strict: nothing else may be printed


def export(report, form, options, trace):
    text = run(report, "--export", form, *options, trace)
    if any(ord(char) < 32 and char != "\n" or ord(char) in INVISIBLE for char in set(text)):
        say(f"{form}: a character that nobody sees")
    if set(text) & set("<>&"):
        say(f"{form}: markup")
    return json.loads(text, parse_float=decimal.Decimal)  # ns follow the point of microseconds and milliseconds


def same(what, one, two):
    for key in sorted(one.keys() | two.keys(), key=str):
        if one.get(key) != two.get(key):
            return say(f"{what}: {key} is {one.get(key)} in the database, {two.get(key)} here")


def plain(names):
    """The frames of a stack: without marks, and without words for what is missing."""
    return tuple(re.sub(r"_\[i\]$", "", name).replace(";", ":").replace("\\x3b", ":") for name in names if name not in MISSING)


def stack_of(text):
    return plain(text.split(";")) if text else ()


def add_up(pairs):
    sums = collections.defaultdict(lambda: [0, 0])
    for key, weight in pairs:
        sums[key][0] += 1
        sums[key][1] += weight
    return dict(sums)


def by_interrupt(row):
    return row.get("waker_context") in ("irq", "softirq") and row["source"] == "wakers"


def of_row(row, name):
    return row["tid"], name, () if by_interrupt(row) else stack_of(row["stack"])


# --- Chrome ---

def check_chrome(data, rows):
    waits, others, begins, ends, places = [], [], [], [], collections.Counter()
    named = {event["tid"] for event in data["traceEvents"] if event["name"] == "thread_name"}
    for event in data["traceEvents"]:
        if event["tid"] not in named:
            say("chrome: a thread has no name")
        if event["ph"] in "sf":
            (begins if event["ph"] == "s" else ends).append(event["id"])
        if event["ph"] not in "Xi":
            continue
        places[event["tid"], event["args"].get("container")] += 1
        stack = () if event["name"] == "wakeup by an interrupt" else stack_of(event["args"]["stack"])
        if event["cat"] == "wait":
            waits.append(((event["tid"], event["name"], stack), int(event["dur"] * 1000)))
        else:
            others.append(((event["tid"], {"wakeup": "wakers"}.get(event["cat"], event["cat"]), stack), event["args"].get("weight", 0)))
    same("chrome's waits", add_up((of_row(row, row["class"]), row["weight"]) for row in rows if row["source"] == "offcpu"), add_up(waits))
    same("chrome's other events", add_up((of_row(row, row["source"]), 0 if row["source"] == "wakers" else row["weight"])
                                         for row in rows if row["source"] != "offcpu"), add_up(others))
    same("chrome's containers", collections.Counter((row["tid"], row.get("container")) for row in rows), places)
    woken = sum(row["source"] == "wakers" and not by_interrupt(row) for row in rows)
    if sorted(begins) != sorted(ends) or len(ends) != len(set(ends)) or (waits and len(begins) != woken):
        say(f"chrome: {len(begins)} arrows begin and {len(ends)} end, for {woken} wakeups by tasks")


# --- Firefox ---

def firefox_stacks(shared):
    texts, functions, stacks, made = shared["stringArray"], shared["funcTable"], shared["stackTable"], []
    for frame, prefix in zip(stacks["frame"], stacks["prefix"]):
        name = texts[functions["name"][shared["frameTable"]["func"][frame]]]
        made.append((name,) if prefix is None else (*made[prefix], name))
    return [plain(stack) for stack in made]


def same_lengths(what, tables):
    for name, table in tables.items():
        if isinstance(table, dict) and any(len(column) != table["length"] for column in table.values() if isinstance(column, list)):
            say(f"firefox: columns of {name} {what} differ in length")


def check_firefox(data, rows):
    samples, markers, places = [], [], collections.Counter()
    stacks, texts = firefox_stacks(data["shared"]), data["shared"]["stringArray"]
    same_lengths("of all threads", data["shared"])
    for thread in data["threads"]:
        table = thread["markers"]
        same_lengths(f"of {thread['name']}", thread)
        scale = 1000000 if thread["samples"]["weightType"] == "tracing-ms" else 1
        for stack, weight in zip(thread["samples"]["stack"], thread["samples"]["weight"]):
            samples.append(((thread["tid"], "cpu", () if stack is None else stacks[stack]), int(weight * scale)))
        for name, start, end, more in zip(*(table[column] for column in ("name", "startTime", "endTime", "data"))):
            stack = stacks[more["cause"]["stack"]] if "cause" in more else ()
            markers.append(((thread["tid"], texts[name], stack), 0 if end is None else int((end - start) * 1000000)))
        _, comma, container = thread["processName"].partition(", container ")
        places[thread["tid"], container if comma else None] += thread["samples"]["length"] + table["length"]
    same("firefox's samples", add_up((of_row(row, "cpu"), row["weight"]) for row in rows if row["source"] == "cpu"), add_up(samples))
    other = [row for row in rows if row["source"] != "cpu"]
    if not any(map(by_interrupt, other)):  # some of these have a cause
        same("firefox's markers", add_up((of_row(row, row["name"]), row["weight"] if row["source"] == "offcpu" else 0)
                                         for row in other), add_up(markers))
    same("firefox's containers", collections.Counter((row["tid"], row.get("container")) for row in rows), places)


# --- speedscope ---

def object_frame(row, few):
    kind = row.get("object_kind")
    text = row.get("object" if few else "object_kind")
    return text if kind in ("child", "sleep") else kind and "on " + text


def check_speedscope(data, rows, folded):
    few = len({(row.get("recording"), row.get("object")) for row in rows}) <= FEW_OBJECTS
    objects = {(row["source"], object_frame(row, few)) for row in rows}
    wanted, got, waits = collections.Counter(), collections.Counter(), collections.Counter()
    for row in rows:
        chain = () if by_interrupt(row) else stack_of(row["stack"])
        wanted[row["source"], row.get("container"), row["comm"].replace(";", ":"), chain, object_frame(row, few)] += row["weight"]
    names = [frame["name"] for frame in data["shared"]["frames"]]
    for profile in data["profiles"]:
        if sum(profile["weights"]) != profile["endValue"] or len(profile["samples"]) != len(profile["weights"]):
            say(f"speedscope: the weights of '{profile['name']}' do not add up")
        source = profile["name"].split()[0].rstrip(",")
        for sample, weight in zip(profile["samples"], profile["weights"]):
            chain = [names[frame] for frame in sample]
            container = chain.pop(0)[len("container "):] if chain[0].startswith("container ") else None
            thing = chain.pop() if (source, chain[-1]) in objects else None
            waits[";".join(name.replace(";", "\\x3b") for name in chain)] += weight if source == "offcpu" else 0
            got[source, container, chain[0].replace(";", ":"), plain(chain[1:]), thing] += weight
    for key in [key for key in got if key[0] == "wakers"]:  # by interrupts, too, with the kernel's frames
        del got[key]
    same("speedscope's stacks", collections.Counter({key: weight for key, weight in wanted.items() if key[0] != "wakers"}), got)
    if folded is not None:
        same("speedscope's waits and --folded", folded, collections.Counter({key: value // 1000 for key, value in waits.items() if value}))


def folded_waits(report, options, trace, rows):
    """None: there are none."""
    if all(row["source"] != "offcpu" for row in rows):
        return None
    lines = (line.rpartition(" ") for line in run(report, "--folded", "--source", "offcpu", *options, trace).splitlines())
    return collections.Counter({stack: int(number) for stack, _, number in lines})


def main(report, trace, *options):
    rows = events_of.read(report, trace, "--no-local-files", *options)
    check_speedscope(export(report, "speedscope", options, trace), rows, folded_waits(report, options, trace, rows))
    if len({row.get("host") for row in rows}) < 2 and len({row.get("recording", 0) for row in rows}) < 2:  # ids belong to these
        check_chrome(export(report, "chrome", options, trace), rows)
        check_firefox(export(report, "firefox", options, trace), rows)
    print("\n".join(wrong[:10]), end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
