#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""rwk_dump.py FILE...: a trace as text, line for line what `rwalker-report --dump` prints (FORMAT.md, appendix B).
Written from FORMAT.md alone, with the standard library alone. Exit code 3: something is damaged; 1: no trace."""
import functools, itertools, struct, sys

# kind: name, then the fields in the order of the disk: n number, x number printed in hex, t time, p tgid or tid, a address
# (these: difference to the one before), g pages, s string, b bytes in hex, c comm, k stack, T time by CPU, l length of a wait;
# behind a second colon the flags of which one must be set for the field to be there (FORMAT.md, 5 to 7).
RECORDS = {
    1: "meta key:s value:s", 2: "clock time:t boottime:n realtime:n tai:n window:n", 8: "exit time:t tgid:p tid:p",
    3: "source id:n kind:n weight:n name:s frequency:n period:n start:t stop:t flags:x least:n most:n",
    4: "module id:n kind:n path:s build_id:b device:n inode:n base:x flags:x",
    5: "mapping time:t tgid:p start:a length:g file_offset:g module:n flags:x", 12: "maps-unavailable time:t tgid:p reason:n",
    96: "snapshot time:t number:n key:n flags:x known:x registers:b address:x size:n stack:b",
    68: "embed-unwind module:n section:n address:x size:n offset:n text:x data:x bytes:b",
    6: "fork time:t tgid:p tid:p parent_tgid:p parent_tid:p", 7: "comm time:t tgid:p tid:p flags:x comm:s",
    9: "kernel-symbol module:n offset:x size:x name:s", 10: "loss time:t source:n cpu:n cause:n total:n",
    11: "cost time:t user_ns:n system_ns:n bpf_ns:n max_rss:n ring_bytes:n written:n", 66: "perf-map tgid:n count:n",
    32: "task tgid:p tid:p start:n flags:x comm:c", 34: "walk time:t number:n source:n flags:x seen:n kept:n",
    33: "sample cpu:n time:T task:n source:n flags:x missing:n:32 period:n:4 kernel:k:1 user:k:2 probe:n:64 snapshot:n:128",
    35: "walk-task time:t walk:n task:n state:x exit_state:x wait:n bound:n cpu:n flags:x kernel:k"
        " user:k:128 missing:n:256 snapshot:n:512",
    36: "wait cpu:n task:n source:n flags:x wait_class:n state:x missing:n:32 kernel:k:1 user:k:2 time:T length:l"
        " run_queue:n:4 out_cpu:n:16 context:n:8 waker:n:8 woken:n:8 snapshot:n:8192",
    37: "wake cpu:n task:n source:n flags:x target:n context:n missing:n:32 kernel:k:1 user:k:2 time:T snapshot:n:128",
    38: "user-stack cpu:n task:n source:n flags:x missing:n:32 user:k:2 time:T since:n snapshot:n:128",
    39: "wait-sums time:t task:n source:n span:n running:n flags:x" + "".join(
        " {0}_count:n:{1} {0}_total:n:{1} {0}_run_queue:n:{1}".format(name, 1 << bit) for bit, name in enumerate(
            "interruptible uninterruptible other_blocked preempted yielded cancelled started".split())),
    64: "embed-module module:n status:n machine:n segment_count:n", 65: "embed-symbols module:n count:n",
    13: "probe id:n source:n hook:n name:s", 14: "probe-hits time:t probe:n hits:n skipped:n missed:n"}
TYPES = {1: "STATE", 2: "EVENTS", 3: "EMBED", 4: "INDEX", 5: "END", 6: "PARITY", 7: "SNAPSHOTS"}
TABLE = range(256)
for _ in range(8):
    TABLE = [n >> 1 ^ (0x82F63B78 if n & 1 else 0) for n in TABLE]

def crc32c(data, seed=0):
    return ~functools.reduce(lambda crc, byte: crc >> 8 ^ TABLE[(crc ^ byte) & 255], data, ~seed % 2**32) % 2**32
def lz4_block(data):
    out, at = bytearray(), 0
    def length(nibble):
        nonlocal at
        more = nibble == 15
        while more:
            nibble, more, at = nibble + data[at], data[at] == 255, at + 1
        return nibble
    while True:
        token, at = data[at], at + 1
        literals = length(token >> 4)
        out += data[at:at + literals]
        at += literals
        if at >= len(data):
            return bytes(out)
        offset, at = data[at] | data[at + 1] << 8, at + 2
        for _ in range(length(token & 15) + 4):
            out.append(out[-offset])
def printable(data):  # what could steer a terminal, and what is not UTF-8, byte by byte as \xNN
    return '"%s"' % "".join("".join("\\x%02x" % b for b in c.encode("utf-8", "surrogateescape")) if any(
        low <= ord(c) <= high for low, high in ((0, 31), (127, 159), (0x2028, 0x202E), (0x2066, 0x2069), (0xDC80, 0xDCFF)))
        else c for c in data.decode("utf-8", "surrogateescape"))
def varint(record):  # of an iterator over bytes; an absent field at the end of its record reads as 0
    byte = next(record, 0)
    return byte if byte < 128 else byte & 127 | varint(record) << 7
def zigzag(record): return (value := varint(record)) >> 1 ^ -(value & 1)
def string(record): return bytes(itertools.islice(record, varint(record)))
class Payload:  # what the records of one chunk refer back to
    def __init__(self):  # nodes: what the address of each one's next child is a difference to
        self.last, self.cpus, self.ends, self.nodes = {"t": 0, "p": 0, "a": 0}, {}, {}, [0, 0]
    def field(self, record, kind, values):
        if kind in "tpa":
            self.last[kind] = (self.last[kind] + zigzag(record)) % 2**64
        if kind in "kTl":
            return {"k": self.stack, "T": self.clock, "l": self.length}[kind](record, values.get("cpu"))
        return (self.last[kind] if kind in "tp" else string(record).hex() if kind == "b" else "0x%x" % (
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
        difference = zigzag(record)
        time, step = self.cpus.get(cpu, (self.last["t"] + difference, -difference))
        self.cpus[cpu] = self.last["t"], _ = (time + step + difference) % 2**64, step + difference
        return self.last["t"]
    def length(self, record, cpu):
        code, ends = varint(record), self.ends.setdefault(cpu, [0] * 4)
        ends.insert(0, self.last["t"])
        return ends[0] - ends[code + 1] if code < 4 else code - 4
    def record(self, record):
        kind, address, values = varint(record), 0, {}
        if kind not in RECORDS:
            return
        name, *fields = RECORDS[kind].split()
        for field, form, *only in (f.split(":") for f in fields):
            there = not only or int(only[0]) & int(values["flags"], 16)
            values[field] = self.field(record, form, values) if there else {
                "kernel": 1, "run_queue": values.get("length"), "out_cpu": values.get("cpu")}.get(field, 0)
        print(" ", name, *("%s=%s" % pair for pair in values.items()))
        for _ in range(int([*values.values()][-1]) if kind in (64, 65, 66) else 0):
            address = varint(record) + (address if kind != 64 else 0)  # of a segment: its file offset
            print("    symbol address=0x%x size=0x%x name=%s" % (address, varint(record), printable(string(record)))
                  if kind != 64 else "    segment file_offset=0x%x address=0x%x file_size=0x%x memory_size=0x%x flags=0x%x"
                  % (address, *(varint(record) for _ in range(4))))
def dump_chunk(chunk, kind, codec, stored, crc):
    if crc32c(chunk[48:]) != crc:
        return print("  damaged") or False
    body = lz4_block(chunk[48:48 + stored]) if codec == 1 else chunk[48:48 + stored]
    payload, records = Payload(), iter(body if kind in (1, 2, 3, 5, 7) else b"")
    for entry in struct.iter_unpack("<3QI2H", body) if kind == 4 else ():
        print("  index offset=%d first=%d last=%d stored=%d type=%d flags=0x%x" % entry)
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
            major, _, size, incompatible, seed = struct.unpack_from("<HHIQ36xI", data, at + 8)
            assert major == 1 and not incompatible, "another version"
            sections, at = sections + [[at, 0, 0]], at + size
        elif sections and checks(b"RWKC", 48):
            kind, codec, flags, stored, raw, sequence, first, last, crc = struct.unpack_from("<HBBII3QI", data, at + 4)
            chunk = data[at:at + 48 + (stored + 7 & ~7)]
            if at + 48 + stored > len(data):  # the recorder was killed here
                break
            print("chunk %d section %d offset %d type %s codec %d flags 0x%x stored %d raw %d first %d last %d" % (
                sequence, len(sections) - 1, at, TYPES.get(kind, kind), codec, flags, stored, raw, first, last))
            good, at = dump_chunk(chunk, kind, codec, stored, crc) and good, at + len(chunk)
        elif sections and checks(b"RWKTRAIL", 32):
            sections[-1][1:], at = (1, *struct.unpack_from("<I", data, at + 24)), at + 32
        else:  # damaged: on to the next place that looks like something
            found = data.find(b"RWK", at + 2), data.find(b"\x89RWK", at + 1), len(data)
            good, at = False, min(place for place in found if place > 0)
    for number, section in enumerate(sections):
        print("section %d offset %d closed %d reason %d" % (number, *section))
    return (0 if good else 3) if sections else 1

if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
    sys.exit(max([dump(open(path, "rb").read()) for path in sys.argv[1:]]))
