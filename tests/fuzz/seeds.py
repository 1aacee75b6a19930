#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""seeds.py TARGET FOLDER TRACE...: writes the inputs that a fuzzer begins with into the folder: those of seeds.text, and, if
the target reads traces, whole ones, cut ones, chunks, or the parts (parts.h) that chunks are made of. An input that a fuzzer
found is a line more in seeds.text: TARGET NAME BASE64."""
import base64, os, struct, sys
sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from rwk_dump import lz4_block

STATE, EVENTS, EMBED, SNAPSHOTS = 1, 2, 3, 5
PARTS = {EVENTS: 0, STATE: 1, EMBED: 2, SNAPSHOTS: 16}
SECTION = 3
# Filters and settings of a report, and whether the second chunk of events begins a section.
SETTINGS = {
    "all": ([], False), "twice": ([129, 32, 0, 0, 0, 0, 64], False), "waits": ([2, 0, 0, 0, 0, 24, 4 | 64], False),
    "sections": ([113, 0, 0, 0, 0, 8, 16 | 64], True), "uneven": ([0, 0, 0, 0, 0, 0, 64, 0, 1], True),
    "target": ([6, 0, 0, 0, 0, 12, 64, 101], False), "filtered": ([10, 4, 32 | 31, 3, 0, 9, 32 | 128], False),
    "slices": ([2, 0, 0, 0, 0, 0, 128, 0, 3 | 3 << 4], False), "condensed": ([0] * 9 + [1], False),
    "scrubbed": ([0] * 9 + [2], True)}

def chunks(trace):
    at, found = 64, []
    while trace[at:at + 4] == b"RWKC":
        kind, codec, _, stored = struct.unpack_from("<HBBI", trace, at + 4)
        body = trace[at + 48:at + 48 + stored]
        found.append((kind, lz4_block(body) if codec == 1 else body))
        at += 48 + (stored + 7 & ~7)
    return found
def parts(trace, settings, divided):
    out, events = bytes(settings).ljust(10, b"\0"), 0
    for kind, body in chunks(trace):
        if kind in PARTS:
            events += kind == EVENTS
            out += b"PART" + bytes([SECTION if divided and kind == EVENTS and events == 2 else PARTS[kind]]) + body
    return out
def seeds(target, traces):
    for line in open(os.path.join(os.path.dirname(__file__), "seeds.text")):
        if line.startswith(target + " "):
            yield line.split()[1], base64.b64decode(line.split()[2])
    for number, trace in enumerate(open(path, "rb").read() for path in traces):
        if target == "fuzz_trace_reader":
            yield "trace-%d" % number, trace
            yield "headless-%d" % number, trace[64:]
            yield "joined-%d" % number, trace[:-150] + trace
            for count, (_, body) in enumerate(chunks(trace)):
                yield "chunk-%d-%d" % (number, count), body
        elif target == "fuzz_report_waits":
            for name, (settings, divided) in SETTINGS.items():
                yield "%s-%d" % (name, number), parts(trace, settings, divided)

os.makedirs(sys.argv[2], exist_ok=True)
for name, seed in seeds(sys.argv[1], sys.argv[3:]):
    with open(os.path.join(sys.argv[2], name), "wb") as out:
        out.write(seed)
