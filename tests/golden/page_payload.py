# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The payload of a page of --html, decoded from its specification, report/page/PAYLOAD.md. Whatever is not as it says is an
error: each column must be used up to its last byte, and each number be within its table.
"""
import base64
import collections
import gzip
import json
import re
import struct

JSON_COLUMNS = {"functions", "modules", "comms", "tasks", "kinds", "walks", "walkStates"}
SIGNED = {"sampleTime", "waitGap"}
TABLES = [
    ["nodeUp", "nodeFunction"],
    ["stackNode", "placeKernel", "placeUser"],
    ["entrySource", "entryStack", "entryTask", "entryFlags", "entryCount", "entryWeight", "entryRunQueue"],
    ["baseStack", "baseSource", "baseCount", "baseWeight", "baseRunQueue"],
    ["sampleTime", "sampleTask", "sampleStack", "sampleCpu"],
    ["waitGap", "waitLength", "waitRunQueue", "waitKind", "waitStack", "waitCpu", "waitWaker"],
    ["wakerTask", "wakerStack", "wakerStep"],
    ["sumRecording", "sumTask", "sumFlags", "sumFrom", "sumTo", "sumRunning"],
    ["sumCount", "sumTotal", "sumRunQueue"],
    ["walkWalk", "walkTask", "walkStack", "walkState", "walkWait", "walkBound", "walkCpu", "walkFlags"],
    ["binTask", "binRecording", "binFirst", "binCount", "binBlocked", "binRunQueue", "binOther"],
]
BESIDE, NOT_ENDED, IOWAIT = 96, 4, 8

Sample = collections.namedtuple("Sample", "source recording time task stack cpu probe weight")
Wait = collections.namedtuple("Wait", "recording task out end run_queue kind stack cpu waker")
Kind = collections.namedtuple("Kind", "wait_class context flags state openness")


def need(condition, why):
    if not condition:
        raise ValueError(why)


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


def triples(values):
    need(len(values) % 3 == 0, "runs are triples")
    return zip(values[::3], values[1::3], values[2::3])


class Page:
    def __init__(self, text):
        found = re.findall(r'<script type="text/plain" id="payload">([A-Za-z0-9+/=]*)</script>', text)
        need(len(found) == 1, f"there are {len(found)} payloads")
        data = gzip.decompress(base64.b64decode(found[0], validate=True))
        length, = struct.unpack_from("<I", data)
        self.header = json.loads(data[4:4 + length].decode("utf-8"))
        self.columns = collections.defaultdict(list)
        self.read_columns(data[4 + length:])
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
        self.tasks = [dict(zip(("comm", "tgid", "tid", "host", "flags", "thread"), row)) for row in columns["tasks"]]
        for task in self.tasks:
            task["comm"] = columns["comms"][task["comm"]]
            need(task["host"] < len(header["hosts"]) and task["thread"] < len(self.tasks), "a task is odd")
        need(columns["functions"] == sorted(columns["functions"], key=lambda row: row[0].encode()), "functions are not in order")
        self.functions = [(name, columns["modules"][module], kind) for name, module, kind in columns["functions"]]
        self.within("nodeFunction placeKernel placeUser", len(self.functions), 1)
        self.within("entryTask sampleTask sumTask walkTask binTask", len(self.tasks))
        self.within("wakerTask", len(self.tasks), 1)
        self.within("entryStack baseStack sampleStack waitStack wakerStack walkStack", len(columns["stackNode"]))
        self.within("entrySource baseSource", len(header["sources"]))
        self.within("sampleProbe", len(header["probes"]), 1)
        self.within("waitKind", len(columns["kinds"]))
        self.within("waitWaker", len(columns["wakerTask"]), 1)
        self.within("wakerStep", 6)
        self.within("sumRecording binRecording", len(header["recordings"]))
        self.within("walkWalk", len(columns["walks"]))
        self.within("walkState", len(columns["walkStates"]))
        need(len(columns["sumCount"]) == 7 * len(columns["sumTask"]), "sums are not of seven kinds")

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
        self.within("stackNode", len(self.parent))
        need(self.columns["stackNode"][0] == 0, "stack 0 is not empty")
        self.stacks = [self.chain(node) for node in self.columns["stackNode"]]
        need(len(set(self.columns["stackNode"])) == len(self.stacks), "two stacks are one")

    def chain(self, node):
        """Functions, root first."""
        frames = []
        while node:
            frames.append(self.node_function[node])
            node = self.parent[node]
        return tuple(reversed(frames))

    def read_samples(self):
        columns, at = self.columns, 0
        for name in ("sampleProbe", "sampleWeight"):
            need(len(columns[name]) in (0, len(columns["sampleTime"])), f"column {name} has another length")
        for source, recording, count in triples(columns["sampleRuns"]):
            row, time = self.header["sources"][source], 0
            for i in range(at, at + count):
                time += columns["sampleTime"][i]
                weight = columns["sampleWeight"][i] if columns["sampleWeight"] else int(row["weight"]) // row["count"]
                probe = columns["sampleProbe"][i] if columns["sampleProbe"] else 0
                yield Sample(source, recording, time, columns["sampleTask"][i], columns["sampleStack"][i],
                             columns["sampleCpu"][i], probe, weight)
            at += count
        need(at == len(columns["sampleTime"]), "there are samples without a run")

    def read_waits(self):
        columns, at = self.columns, 0
        kinds = [Kind(*row) for row in columns["kinds"]]
        for recording, task, count in triples(columns["waitRuns"]):
            need(recording < len(self.header["recordings"]) and task < len(self.tasks), "a run of waits is odd")
            end = 0
            for i in range(at, at + count):
                out = end + columns["waitGap"][i]
                end = out + columns["waitLength"][i]
                need(columns["waitRunQueue"][i] <= end - out, "a wait is on the run queue for longer than it lasts")
                yield Wait(recording, task, out, end, columns["waitRunQueue"][i], kinds[columns["waitKind"][i]],
                           columns["waitStack"][i], columns["waitCpu"][i], columns["waitWaker"][i])
            at += count
        need(at == len(columns["waitGap"]), "there are waits without a run")

    def shown(self):
        return [wait for wait in self.waits if not wait.kind.flags & BESIDE]

    def part(self, wait):
        """What of it is within its recording and the requested times, in ticks."""
        start, stop = 0, self.header["recordings"][wait.recording]["length"]
        for recording, first, last in self.header["times"]:
            if recording == wait.recording:
                start, stop = max(start, first), min(stop, last)
        return max(0, min(wait.end, stop) - max(wait.out, start))

    def entries(self):
        columns = self.columns
        return list(zip(*(columns[name] for name in TABLES[2])))
