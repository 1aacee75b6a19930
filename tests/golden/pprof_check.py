#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""pprof_check.py REPORT TRACE [OPTION...]: reads the output of --export pprof with a reader of its own, which knows
protobuf and profile.proto but nothing about rwalker: the message is sound, and its sums by chain, thread and kind are
those of the events in --export perf-script, to the nanosecond. If go tool pprof is installed, it reads the same
chains and sums. pprof_check.py --first-mapping <PPROF: prints the first mapping's file name."""
import collections
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import events_text

TYPES = [("samples", "count"), ("cpu", "nanoseconds"), ("cycles", "count"), ("waits", "count"), ("offcpu", "nanoseconds"),
         ("events", "count")]


def varint(data, at):
    number = shift = 0
    while True:
        number |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return number, at


def fields(data):
    """{number: [value, ...]} of a message: numbers, and bytes."""
    found, at = collections.defaultdict(list), 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size, "a field is cut"
        else:
            raise AssertionError(f"wire type {key & 7}")
        found[key >> 3].append(value)
    return found


def packed(values):
    numbers = []
    for data in values:
        at = 0
        while at < len(data):
            number, at = varint(data, at)
            numbers.append(number)
    return numbers


def one(message, number):
    assert len(message[number]) <= 1, f"field {number} is there twice"
    return message[number][0] if message[number] else 0


class Profile:
    """profile.proto, from its field numbers."""

    def __init__(self, data):
        self.message = fields(data)
        self.texts = [text.decode() for text in self.message[6]]  # UTF-8, or an error
        assert self.texts[0] == "" and len(set(self.texts)) == len(self.texts), "the table of texts"
        self.mappings = self.by_id(3)
        self.locations = self.by_id(4)
        self.functions = self.by_id(5)
        self.types = [(self.text(fields(t), 1), self.text(fields(t), 2)) for t in self.message[1]]
        self.samples = [fields(sample) for sample in self.message[2]]
        self.names = {number: self.name_location(location) for number, location in self.locations.items()}

    def by_id(self, number):
        found = {}
        for data in self.message[number]:
            message = fields(data)
            assert one(message, 1) and one(message, 1) not in found, f"the id of a message {number}"
            found[one(message, 1)] = message
        return found

    def text(self, message, number):
        return self.texts[one(message, number)]

    def name_location(self, location):
        """The functions at a location, innermost first."""
        mapping = self.mappings[one(location, 2)] if one(location, 2) else None
        assert mapping is None or one(location, 3) < one(mapping, 3), "an address is outside of its mapping"
        names = [self.text(self.functions[one(fields(line), 1)], 2) for line in location[4]]
        assert all(names), "a function without a name"
        return names or [f"[{os.path.basename(self.text(mapping, 5))}]"]

    def labels(self, sample):
        found = {}
        for data in sample[3]:
            label = fields(data)
            key = self.text(label, 1)
            assert key and key not in found, "a label is there twice"
            found[key] = self.text(label, 2) if one(label, 2) or key in ("comm", "host") else one(label, 3)
        return found


def exported(profile):
    """{(kind, comm, pid, tid, chain): weight}"""
    sums = collections.Counter()
    for sample in profile.samples:
        values, labels = packed(sample[2]), profile.labels(sample)
        assert len(values) == len(TYPES) and labels["host"], "a sample"
        chain = tuple(name for location in packed(sample[1]) for name in profile.names[location])
        kind, weight = labels["kind"], values[5]
        assert chain, "a sample without a location"
        assert (kind == "offcpu") == ("class" in labels) == bool(values[3]) and (kind == "cpu") == bool(values[0])
        if kind == "cpu":
            weight = values[2] or values[1]
        elif kind == "offcpu":
            weight = values[4]
        if kind == "tasks":
            continue
        kind = {"cpu": "sample", "tracepoint": "sample"}.get(kind, kind)
        sums[kind, labels["comm"], labels.get("pid", 0), labels.get("tid", 0), chain] += weight
    return sums


def printed(events, nothing):
    sums = collections.Counter()
    for event in events:
        weight = event.weight if event.kind in ("sample", "offcpu") else 1
        sums[event.kind, event.comm, event.pid, event.tid, tuple(event.frames) or (nothing,)] += weight
    return sums


def without_chains(sums, kinds):
    """The chain of a wakeup by an interrupt is printed without the user part, which belongs to another task."""
    rest = collections.Counter()
    for (kind, comm, pid, tid, chain), weight in sums.items():
        rest[kind, comm, pid, tid, () if kind in kinds else chain] += weight
    return rest


# --- the reader of the Go project ---

def go_chain(profile, sample):
    """A chain as go tool pprof -raw prints its locations."""
    chain = []
    for location in (profile.locations[number] for number in packed(sample[1])):
        for line in map(fields, location[4]):
            function = profile.functions[one(line, 1)]
            name, system = profile.text(function, 2), profile.text(function, 3)
            chain.append(f"{name} {profile.text(function, 4)}:{one(line, 2)} s={one(function, 5)}" + (f"({system})" if system != name else ""))
        if not location[4]:
            chain.append("")
    return tuple(chain)


def summed(samples):
    """{chain: [sum of each type]}"""
    sums = {}
    for chain, values in samples:
        sums[chain] = [a + b for a, b in zip(sums.get(chain, [0] * len(TYPES)), values)]
    return sums


def go_samples(text):
    """(chain, values) of each sample in the output of go tool pprof -raw."""
    samples, rest = text.split("\nSamples:\n", 1)[1].split("\nLocations\n")
    places, number = collections.defaultdict(list), None
    for line in rest.split("\nMappings\n")[0].split("\n"):
        found = re.match(r" *(\d+): 0x[0-9a-f]+ (?:M=\d+ )?(.*)", line)
        number, place = (found.group(1), found.group(2)) if found else (number, line.strip())
        places[number].append(place)
    for line in samples.split("\n"):
        found = re.match(r" *((?:\d+ +){5}\d+): ((?:\d+ )+)$", line)
        if found:
            yield tuple(place for name in found.group(2).split() for place in places[name]), [int(value) for value in found.group(1).split()]


def has_go():
    """Whether the tool is installed: some packages of go lack it."""
    return shutil.which("go") and subprocess.run(["go", "tool", "-n", "pprof"], capture_output=True).returncode == 0


def check_by_go(profile, exported_file):
    with tempfile.NamedTemporaryFile(suffix=".pb.gz") as file:
        file.write(exported_file)
        file.flush()
        run = subprocess.run(["go", "tool", "pprof", "-symbolize=none", "-raw", file.name], capture_output=True, text=True)
    assert run.returncode == 0, f"go tool pprof: {run.stderr[-200:]}"
    got = summed(go_samples(run.stdout))
    wanted = summed((go_chain(profile, sample), packed(sample[2])) for sample in profile.samples)
    wrong = [chain for chain in got.keys() | wanted.keys() if got.get(chain) != wanted.get(chain)]
    assert not wrong, f"go tool pprof: {len(wrong)} of {len(wanted)} chains, as {wrong[0]}: {got.get(wrong[0])}, not {wanted.get(wrong[0])}"


def print_first_mapping():
    profile = Profile(gzip.decompress(sys.stdin.buffer.read()))
    print(profile.text(next(iter(profile.mappings.values())), 5))


def main():
    if sys.argv[1] == "--first-mapping":
        return print_first_mapping()
    report, trace, options = sys.argv[1], sys.argv[2], sys.argv[3:]
    run = subprocess.run([report, "--no-local-files", "--no-cache", "--export", "pprof", *options, trace], capture_output=True)
    assert run.returncode in (0, 3), f"exit {run.returncode}: {run.stderr[-200:]}"
    profile = Profile(gzip.decompress(run.stdout))
    assert profile.types == TYPES, profile.types
    period = fields(one(profile.message, 11))
    assert (profile.text(period, 1), profile.text(period, 2)) == TYPES[1], "pprof merges files with one type of period only"
    nothing = "[no user frames]" if "-U" in options else "[no kernel frames]" if "-K" in options else "[no call chain]"
    got = without_chains(exported(profile), ("wakers",))
    wanted = without_chains(printed(events_text.read(report, options, trace), nothing), ("wakers",))
    wrong = [key for key in got.keys() | wanted.keys() if got[key] != wanted[key]]
    assert not wrong, f"{len(wrong)} of {len(wanted)} sums, as of {wrong[0]}: {got[wrong[0]]}, not {wanted[wrong[0]]}"
    if has_go():
        check_by_go(profile, run.stdout)
    print(len(wanted))


try:
    main()
except AssertionError as error:
    sys.exit(f"pprof_check.py: {error}")
