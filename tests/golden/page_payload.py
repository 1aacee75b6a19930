# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Decodes the payload of a page of --html by its specification, report/page/PAYLOAD.md. Every deviation is an error:
each column must be used up to its last byte, and each number must be within its table.
"""
import collections
import gzip
import itertools
import json
import re
import struct

JSON_COLUMNS = {"functions", "modules", "comms", "cgroups", "kinds", "purposes", "walks", "walkStates",
                "walkPurposes"}
SIGNED = {"stackNode", "taskTid", "taskProcess", "sampleTime", "sampleNewTask", "waitGap"}
ENTRY = ["entrySource", "entryStack", "entryTask", "entryFlags", "entryCount", "entryWeight", "entryRunQueue"]
TABLES = [
    ["functions", "functionModule", "functionKind"],
    ["taskComm", "taskTid", "taskProcess", "taskHost", "taskFlags", "taskThread", "taskProcessComm"],
    ["nodeUp", "nodeFunction"],
    ["stackNode", "placeKernel", "placeUser"],
    ENTRY,
    ["baseStack", "baseSource", "baseCount", "baseWeight", "baseRunQueue"],
    ["sampleTime", "sampleTask", "sampleStack"],
    ["waitGap", "waitSleep", "waitRunQueue", "waitKind", "waitStack", "waitCpu", "waitWaker"],
    ["wakerTask", "wakerStack", "wakerStep"],
    ["nextTask", "nextBy"],
    ["sumRecording", "sumTask", "sumFlags", "sumFrom", "sumTo", "sumRunning", "sumUnknown"],
    ["sumCount", "sumTotal", "sumRunQueue"],
    ["walkWalk", "walkTask", "walkStack", "walkState", "walkWait", "walkBound", "walkCpu", "walkFlags",
     "walkPurpose"],
    ["binTask", "binRecording", "binFirst", "binCount", "binBlocked", "binRunQueue", "binOther"],
]
BESIDE, NOT_ENDED, IOWAIT = 96, 4, 8

DIGITS = {digit: number for number, digit in enumerate(chr(code) for code in range(33, 127) if chr(code) not in "&<\\")}

Sample = collections.namedtuple("Sample", "source recording time task stack cpu probe weight")
Wait = collections.namedtuple("Wait", "recording task out end run_queue kind stack cpu waker")
Kind = collections.namedtuple("Kind", "wait_class context flags state openness")


def need(condition, why):
    if not condition:
        raise ValueError(why)


def bytes_of(text):
    """Two digits are 13 bits, the lower digit first; a single one at the end is 6 bits."""
    values = [DIGITS[low] + 91 * DIGITS[high] for low, high in zip(text[::2], text[1::2])]
    need(all(value < 1 << 13 for value in values), "two digits are more than 13 bits")
    last, bits = (DIGITS[text[-1]], 6) if len(text) % 2 else (0, 0)
    held, data = 0, bytearray()
    have = 0
    for value, size in itertools.chain(((value, 13) for value in values), [(last, bits)]):
        held |= value << have
        have += size
        while have >= 8:
            data.append(held & 255)
            held >>= 8
            have -= 8
    return bytes(data)


def unpack(text):
    """The header of a page's payload, and its columns."""
    found = re.findall(r'<script type="text/plain" id="payload">([^<]*)</script>', text)
    need(len(found) == 1, f"there are {len(found)} payloads")
    data = gzip.decompress(bytes_of(found[0]))
    length, = struct.unpack_from("<I", data)
    return json.loads(data[4:4 + length].decode("utf-8")), data[4 + length:]


def varints(name, data, count):
    values, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            values.append(value)
            value = shift = 0
    need(not shift and len(values) == count, f"column {name} has {len(values)} numbers, not {count}")
    need(all(value < 1 << 53 for value in values), f"column {name} has a number that is too large")
    return [value >> 1 ^ -(value & 1) for value in values] if name in SIGNED else values


def rows_of(size, values):
    need(len(values) % size == 0, f"runs are not of {size} numbers")
    return zip(*(values[i::size] for i in range(size)))


class Page:
    def __init__(self, text):
        self.header, data = unpack(text)
        self.columns = collections.defaultdict(list)
        self.read_columns(data)
        self.read_tables()
        self.read_tree()
        self.samples, self.waits = list(self.read_samples()), list(self.read_waits())

    def read_columns(self, data):
        end = 0
        for name, (offset, size, count) in self.header["columns"].items():
            need(offset == end, f"column {name} does not begin where the one before ends")
            end = offset + size
            part = data[offset:end]
            self.columns[name] = json.loads(part.decode("utf-8")) if name in JSON_COLUMNS else varints(name, part, count)
        need(end == len(data), "there is something behind the last column")
        for names in TABLES:
            need(len({len(self.columns[name]) for name in names}) == 1, f"columns {names} differ in length")

    def within(self, names, size, above=0):
        for name in names.split():
            need(all(value < size + above for value in self.columns[name]), f"column {name} goes beyond its table of {size}")

    def read_tables(self):
        columns, header = self.columns, self.header
        self.tasks = list(self.read_tasks())
        need(columns["functions"] == sorted(columns["functions"], key=lambda name: name.encode()), "functions are not in order")
        self.functions = [(name, columns["modules"][module], kind) for name, module, kind in
                          zip(columns["functions"], columns["functionModule"], columns["functionKind"])]
        self.within("nodeFunction placeKernel placeUser", len(self.functions), 1)
        self.within("entryTask sumTask walkTask binTask", len(self.tasks))
        self.within("wakerTask", len(self.tasks), 1)
        self.within("entryStack baseStack sampleStack waitStack wakerStack walkStack", len(columns["stackNode"]))
        self.within("entrySource baseSource", len(header["sources"]))
        self.within("sampleProbe", len(header["probes"]), 1)
        self.within("waitKind", len(columns["kinds"]))
        self.within("waitWaker", len(columns["wakerTask"]), 1)
        self.within("waitPurpose", len(columns["purposes"]), 1)
        self.within("waitNext", len(columns["nextTask"]), 1)
        self.within("nextTask", len(self.tasks))
        self.within("nextBy", 4)
        self.within("wakerStep", 6)
        self.within("sumRecording binRecording", len(header["recordings"]))
        self.within("walkWalk", len(columns["walks"]))
        self.within("walkState", len(columns["walkStates"]))
        self.within("walkPurpose", len(columns["walkPurposes"]), 1)
        need(len(columns["sumCount"]) == 7 * len(columns["sumTask"]), "sums are not of seven kinds")

    def read_tasks(self):
        tid = 0
        cgroups = [["", ""], *self.columns["cgroups"]]
        places = self.columns["taskCgroup"] or [0] * len(self.columns["taskTid"])
        need(len(places) == len(self.columns["taskTid"]) and max(places, default=0) < len(cgroups), "a task is in no cgroup")
        for number, (comm, step, process, host, flags, since_first, _) in enumerate(zip(*(self.columns[name] for name in TABLES[1]))):
            tid += step
            need(host < len(self.header["hosts"]) and since_first <= number and 0 <= tid - process and 0 <= tid, "a task is odd")
            yield {"comm": self.columns["comms"][comm], "tgid": tid - process, "tid": tid, "host": host, "flags": flags,
                   "thread": number - since_first, "cgroup": cgroups[places[number]][0],
                   "container": cgroups[places[number]][1]}

    def read_tree(self):
        path, self.parent = [0], [0]
        self.node_function = [None] + self.columns["nodeFunction"]
        for number, up in enumerate(self.columns["nodeUp"], 1):
            need(up < len(path) + (len(path) == 1), "a node is above the root")
            del path[len(path) - up:]
            path.append(number)
            self.parent.append(path[-2])
        siblings = list(zip(self.parent[1:], self.node_function[1:]))
        need(len(set(siblings)) == len(siblings), "siblings have the same function")
        nodes = list(itertools.accumulate(self.columns["stackNode"]))
        need(all(0 <= node < len(self.parent) for node in nodes), "column stackNode leads out of the tree")
        need(nodes[0] == 0, "stack 0 is not empty")
        self.stacks = [self.chain(node) for node in nodes]
        need(len(set(nodes)) == len(self.stacks), "two stacks are one")

    def chain(self, node):
        """Functions, root first."""
        frames = []
        while node:
            frames.append(self.node_function[node])
            node = self.parent[node]
        return tuple(reversed(frames))

    def sample_tasks(self):
        """Times by sample; those of each CPU are separate."""
        columns, at, newest, fresh = self.columns, 0, 0, iter(self.columns["sampleNewTask"])
        for *_, count in rows_of(4, columns["sampleRuns"]):
            spells = []
            for ago in columns["sampleTask"][at:at + count]:
                if not ago:
                    newest += next(fresh)
                need(ago <= len(spells), "column sampleTask goes back too far")
                if ago != 1:
                    spells.append(spells[-ago] if ago else newest)
                need(0 <= spells[-1] < len(self.tasks), "column sampleNewTask goes beyond its table")
                yield spells[-1]
            at += count
        need(next(fresh, None) is None, "there are new tasks without a sample")

    def read_samples(self):
        """Entries by source, recording and time."""
        columns, at, samples, tasks = self.columns, 0, [], list(self.sample_tasks())
        for name in ("sampleProbe", "sampleWeight"):
            need(len(columns[name]) in (0, len(columns["sampleTime"])), f"column {name} has another length")
        for name in ("waitPurpose", "waitNext"):
            need(len(columns[name]) in (0, len(columns["waitGap"])), f"column {name} has another length")
        for source, recording, cpu, count in rows_of(4, columns["sampleRuns"]):
            row = self.header["sources"][source]
            time = -row["step"]
            for i in range(at, at + count):
                time += columns["sampleTime"][i] + row["step"]
                weight = columns["sampleWeight"][i] if columns["sampleWeight"] else int(row["weight"]) // row["count"]
                probe = columns["sampleProbe"][i] if columns["sampleProbe"] else 0
                samples.append(Sample(source, recording, time, tasks[i], columns["sampleStack"][i], cpu, probe, weight))
            at += count
        need(at == len(columns["sampleTime"]), "there are samples without a run")
        return sorted(samples)

    def read_waits(self):
        columns, at = self.columns, 0
        kinds = [Kind(*row) for row in columns["kinds"]]
        for recording, task, count in rows_of(3, columns["waitRuns"]):
            need(recording < len(self.header["recordings"]) and task < len(self.tasks), "a run of waits is odd")
            end = 0
            for i in range(at, at + count):
                out = end + columns["waitGap"][i]
                end = out + columns["waitSleep"][i] + columns["waitRunQueue"][i]
                yield Wait(recording, task, out, end, columns["waitRunQueue"][i], kinds[columns["waitKind"][i]],
                           columns["waitStack"][i], columns["waitCpu"][i], columns["waitWaker"][i])
            at += count
        need(at == len(columns["waitGap"]), "there are waits without a run")

    def shown(self):
        return [wait for wait in self.waits if not wait.kind.flags & BESIDE]

    def part(self, wait):
        """The part of a wait within its recording and the requested times, in ticks."""
        start, stop = 0, self.header["recordings"][wait.recording]["length"]
        for recording, first, last in self.header["times"]:
            if recording == wait.recording:
                start, stop = max(start, first), min(stop, last)
        return max(0, min(wait.end, stop) - max(wait.out, start))

    def entries(self):
        """Entries of complete sources are sums of their samples."""
        sums = collections.defaultdict(lambda: [0, 0])
        for sample in self.samples:
            if self.header["sources"][sample.source]["complete"]:
                row = sums[sample.source, sample.stack, sample.task, 0]
                row[0] += 1
                row[1] += sample.weight
        rows = list(zip(*(self.columns[name] for name in ENTRY)))
        need(not any(self.header["sources"][row[0]]["complete"] for row in rows), "a complete source has entries")
        return sorted(rows + [(*key, *row, 0) for key, row in sums.items()])
