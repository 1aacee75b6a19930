#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""rwk_dump.py FILE...: prints a trace as text, line by line as `rwalker-report --dump` does (FORMAT.md, appendix B).
Written from FORMAT.md alone, using only the standard library. Exit code 3: something is damaged; 1: not a trace."""
import functools, itertools, struct, sys

# kind: name, then the fields in the order on disk: n number, x number printed in hex, t time, p tgid or tid, a
# address (t, p and a are differences to the one before in a record of the kind), g pages, s string, b bytes in hex, c comm, k stack, T time
# by CPU, l length of a wait; in lists also d address (unsigned difference), r text by number. After a second colon:
# flags, one of which must be set.
KINDS = "interruptible uninterruptible other_blocked preempted yielded cancelled started".split()
RECORDS = {
    1: "meta key:s value:s", 7: "comm time:t tgid:p tid:p flags:x comm:s", 10: "loss time:t source:n cpu:n cause:n total:n",
    2: "clock time:t realtime:n window:n", 9: "kernel-symbol module:n offset:x size:x name:s",
    3: "source id:n kind:n weight:n name:s frequency:n period:n start:t stop:t flags:x least:n most:n",
    4: "module id:n kind:n path:s build_id:b device:n inode:n base:x flags:x", 12: "maps-unavailable time:t tgid:p reason:n",
    5: "mapping time:t tgid:p start:a length:g file_offset:g module:n flags:x", 32: "task tgid:p tid:p start:n flags:x comm:c cgroup:n",
    6: "fork time:t tgid:p tid:p parent_tgid:p", 14: "probe-hits time:t probe:n hits:n skipped:n missed:n",
    15: "unsure time:t until:t cpu:n cause:n missing:n",
    16: "counter time:t source:n cpu:n counted:n seen:n missed:n missed_idle:n enabled:n running:n throttled:n",
    8: "exit time:t tgid:p tid:p", 96: "snapshot time:t number:n key:n flags:x known:x registers:b address:x size:n stack:b more:n",
    17: "object number:n kind:n flags:x tgid:n descriptor:n device:n inode:n place:x module:n state:n port:n"
        " peer_port:n peer:n lock:n name:s mapping:n offset:x net:n", 97: "object-name number:n path:s address:b peer_address:b",
    18: "window since:t until:t before:n dump:n asked:n room:n", 13: "probe id:n source:n hook:n name:s",
    19: "trigger time:t dump:n rule:s tgid:p tid:p comm:s value:n more:n",
    11: "cost time:t user_ns:n system_ns:n bpf_ns:n max_rss:n ring_bytes:n written:n",
    21: "budget time:t step:n least:n frequency:n used:n budget:n",
    20: "cgroup time:t id:n flags:x path:s",
    33: "sample cpu:n time:T task:n source:n flags:x missing:n:32 period:n:4 kernel:k:1 user:k:2 probe:n:64 snapshot:n:128",
    34: "walk time:t number:n source:n flags:x seen:n kept:n", 64: "embed-module module:n status:n machine:n segment_count:n",
    37: "wake cpu:n task:n source:n flags:x target:n context:n missing:n:32 kernel:k:1 user:k:2 time:T snapshot:n:128",
    38: "user-stack cpu:n task:n source:n flags:x missing:n:32 user:k:2 time:T since:n snapshot:n:128",
    65: "embed-symbols module:n count:n", 66: "perf-map tgid:n count:n",
    67: "embed-lines module:n count:n", 68: "embed-unwind module:n section:n address:x size:n offset:n text:x data:x bytes:b",
    35: "walk-task time:t walk:n task:n state:x exit_state:x wait:n bound:n cpu:n flags:x kernel:k"
        " user:k:128 missing:n:256 snapshot:n:512 call:n:2048 object:n:2048 asked:n:4096 owner:n:8192",
    36: "wait cpu:n task:n source:n flags:x wait_class:n state:x missing:n:32 kernel:k:1 user:k:2 time:T length:l"
        " throttled:n:67108864 throttler:n:67108864 run_queue:n:4 out_cpu:n:16 context:n:8 waker:n:8 woken:n:8 snapshot:n:8192"
        " call:n:32768 object:n:32768 asked:n:65536 owner:n:131072 ready:n:262144 ready_object:n:262144",
    39: "wait-sums time:t task:n source:n span:n running:n flags:x" + "".join(
        " {0}_count:n:{1} {0}_total:n:{1} {0}_run_queue:n:{1}".format(name, 1 << bit) for bit, name in enumerate(
            KINDS)) + "".join(" %s_throttled:n:%d" % (name, 256 << bit) for bit, name in enumerate(KINDS))}
LISTS = {64: "segment file_offset:x address:x file_size:x memory_size:x flags:x", 65: "symbol address:d size:x name:s",
         66: "symbol address:d size:x name:s", 67: "line address:d levels:n"}  # as many as the record's last field says
TYPES = {1: "STATE", 2: "EVENTS", 3: "EMBED", 4: "END", 5: "SNAPSHOTS", 6: "NAMES"}
TABLE = functools.reduce(lambda table, _: [n >> 1 ^ (0x82F63B78 if n & 1 else 0) for n in table], range(8), range(256))

def crc32c(data, seed=0):
    return ~functools.reduce(lambda crc, byte: crc >> 8 ^ TABLE[(crc ^ byte) & 255], data, ~seed % 2**32) % 2**32
def lz4_block(data):
    out, stream = bytearray(), iter(data)
    def length(nibble):
        more = nibble == 15
        while more:
            more = (byte := next(stream)) == 255
            nibble += byte
        return nibble
    for token in stream:
        out += bytes(itertools.islice(stream, length(token >> 4)))
        offset = int.from_bytes(itertools.islice(stream, 2), "little")  # 0: the last run has literals only
        for _ in range(length(token & 15) + 4 if offset else 0):
            out.append(out[-offset])
    return bytes(out)
def printable(data):  # terminal controls and invalid UTF-8, byte by byte as \xNN; a backslash is doubled
    return '"%s"' % "".join("".join("\\x%02x" % b for b in c.encode("utf-8", "surrogateescape")) if any(
        low <= ord(c) <= high for low, high in ((0, 31), (127, 159), (0x61C, 0x61C), (0x200B, 0x200F), (
        0x2028, 0x202E), (0x2060, 0x2069), (0xDC80, 0xDCFF), (0xFEFF, 0xFEFF), (0xE0000, 0xE007F)))
        else c.replace("\\", "\\\\") for c in data.decode("utf-8", "surrogateescape"))
def varint(record):  # from an iterator over bytes; an absent field at the end of a record reads as 0
    byte = next(record, 0)
    return byte if byte < 128 else byte & 127 | varint(record) << 7
def zigzag(record): return (value := varint(record)) >> 1 ^ -(value & 1)
def string(record): return bytes(itertools.islice(record, varint(record)))
class Payload:  # earlier data that the records of a chunk refer to
    def __init__(self):  # nodes: for each, the address to which its next child is a difference
        self.lasts, self.cpus, self.ends, self.nodes = {}, {}, {}, [0, 0]
    def field(self, record, kind, values):
        if kind in "tpad":
            self.last[kind] = (self.last[kind] + (varint if kind == "d" else zigzag)(record)) % 2**64
        if kind in "kTl":
            return {"k": self.stack, "T": self.clock, "l": self.length}[kind](record, values.get("cpu"))
        if kind == "r" and (number := varint(record)) == len(self.texts):
            self.texts.append(printable(string(record)))
        return self.texts[number] if kind == "r" else "0x%x" % self.last["d"] if kind == "d" else (
            self.last[kind] if kind in "tp" else string(record).hex() if kind == "b" else "0x%x" % (
            (self.last["a"] if kind == "a" else varint(record)) << 12) if kind in "ag" else printable(string(record).split(
                b"\0", kind == "c")[0]) if kind in "sc" else ("0x%x" if kind == "x" else "%d") % varint(record))
    def stack(self, record, _):
        parent, count = varint(record), varint(record)
        for _ in range(count):
            self.nodes[parent] = address = (self.nodes[parent] + zigzag(record)) % 2**64
            print("  node %d parent=%d address=0x%x" % (len(self.nodes), parent, address))
            self.nodes.append(address)
            parent = len(self.nodes) - 1
        return parent
    def clock(self, record, cpu):
        difference, clock = zigzag(record), (self.kind, cpu)
        time, step = self.cpus.get(clock, (self.last["t"] + difference, -difference))
        self.cpus[clock] = self.last["t"], _ = (time + step + difference) % 2**64, step + difference
        return self.last["t"]
    def length(self, record, cpu):
        code, ends = varint(record), self.ends.setdefault(cpu, [0] * 4)
        ends.insert(0, self.last["t"])
        return ends[0] - ends[code + 1] if code < 4 else code - 4
    def row(self, record, indent, form):  # prints a record or an entry of its list
        values, (name, *fields) = {}, form.split()
        for field, kind, *only in (f.split(":") for f in fields):
            there = not only or int(only[0]) & int(values["flags"], 16)
            values[field] = self.field(record, kind, values) if there else {
                "kernel": 1, "run_queue": max(0, int(values.get("length", 0)) - int(values.get("throttled", 0))), "out_cpu": values.get("cpu")}.get(field, 0)
        print(indent, name, *("%s=%s" % pair for pair in values.items()))
        return [*values.values()][-1]
    def record(self, record):
        if (kind := varint(record)) not in RECORDS:
            return
        self.kind, self.last = kind, self.lasts.setdefault(kind, {"t": 0, "p": 0, "a": 0})
        count, self.last["d"], self.texts = self.row(record, " ", RECORDS[kind]), 0, [printable(b"")]
        for _ in range(int(count) if kind in LISTS else 0):
            levels = self.row(record, "   ", LISTS[kind])
            for _ in range(int(levels) if kind == 67 else 0):
                self.row(record, "     ", "level function:r file:r line:n")
def dump_chunk(chunk, kind, codec, stored, crc):
    if crc32c(chunk[48:]) != crc:
        return print("  damaged") or False
    body = lz4_block(chunk[48:48 + stored]) if codec == 1 else chunk[48:48 + stored]
    payload, records = Payload(), iter(body if kind in TYPES else b"")
    while record := string(records):
        payload.record(iter(record))
    return True
def dump(data):
    at, seed, sections, good = 0, 0, [], True
    def checks(magic, length):  # a struct of `length` bytes that begins with `magic` and ends with its checksum
        found = data[at:at + length]
        return found.startswith(magic) and len(found) == length and crc32c(
            found[:-4], 0 if length == 64 else seed) == int.from_bytes(found[-4:], "little")
    while at < len(data):
        if checks(b"\x89RWK\r\n\x1a\n", 64):
            version, size, incompatible, identity, realtime, seed = struct.unpack_from("<IIQ8x16sQ4xI", data, at + 8)
            assert version // 100 == 1 and not incompatible, "another version"
            print("section %d offset %d id %s realtime %d" % (len(sections), at, identity.hex(), realtime))
            sections, at = sections + [[0, 0]], at + size
        elif sections and checks(b"RWKC", 48):
            kind, codec, flags, stored, raw, sequence, first, last, crc = struct.unpack_from("<HBBII3QI", data, at + 4)
            chunk = data[at:at + 48 + (stored + 7 & ~7)]
            if at + 48 + stored > len(data):  # the recorder was killed here
                break
            print("chunk %d section %d offset %d type %s codec %d flags 0x%x stored %d raw %d first %d last %d" % (
                sequence, len(sections) - 1, at, TYPES.get(kind, kind), codec, flags, stored, raw, first, last))
            good, at = dump_chunk(chunk, kind, codec, stored, crc) and good, at + len(chunk)
        elif sections and checks(b"RWKTRAIL", 24):
            sections[-1], at = (1, *struct.unpack_from("<I", data, at + 16)), at + 24
        else:  # damaged: continue at the next place that looks valid
            found = data.find(b"RWK", at + 2), data.find(b"\x89RWK", at + 1), len(data)
            good, at = False, min(place for place in found if place > 0)
    for number, section in enumerate(sections):
        print("section %d closed %d reason %d" % (number, *section))
    return (0 if good else 3) if sections else 1

if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
    sys.exit(max([dump(open(path, "rb").read()) for path in sys.argv[1:]]))
