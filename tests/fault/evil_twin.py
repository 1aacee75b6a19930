#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""evil_twin.py HOW IN OUT: makes of a trace what a stranger would make to pass for it. The twin has the same host,
modules, build-ids, processes, threads and times, and all checksums are right. All comms begin with "~"; HOW says what
else differs:

  names     the names of functions, source files, probes and JIT code have other letters
  tables    the same; also unwind tables have other bytes, mappings other modules, and the section another id
  addition  a section without a recording, as --finalize adds one, with these names
  bare      not a twin, but the trace itself without what was embedded"""
import os, struct, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import rwk_dump

STATE, EVENTS, EMBED, END, SNAPSHOTS = range(1, 6)
META, MODULE, MAPPING, EMBED_UNWIND = 1, 4, 5, 68
HEADER, CHUNK, TRAILER = 64, 48, 24
LETTERS = bytes.maketrans(bytes(range(97, 123)), bytes(range(110, 123)) + bytes(range(97, 110)))
NAMES = {"kernel-symbol name", "probe name", "symbol name", "level function", "level file"}


class Fields:
    """Walks over the records of a payload, and calls change(what, at, length) for each text and varint of it."""

    def __init__(self, payload, change):
        self.payload, self.at, self.change = payload, 0, change

    def varint(self):
        value, shift = 0, 0
        while True:
            byte = self.payload[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def text(self, what):
        length = self.varint()
        self.change(what, self.at, length)
        self.at += length

    def field(self, what, kind):
        if kind in "sbc":
            return self.text(what)
        at, value = self.at, self.varint()
        if kind == "k":
            for _ in range(self.varint()):
                self.varint()
        elif kind == "r" and value == self.texts:
            self.texts += 1
            self.text(what)
        else:
            self.change(what, at, self.at - at)
        return value

    def row(self, form, end):
        """The value of its last field; a field that is absent at the end is 0."""
        name, *fields = form.split()
        value = flags = 0
        for field, kind, *only in (field.split(":") for field in fields):
            if self.at < end and (not only or int(only[0]) & flags):
                value = self.field(f"{name} {field}", kind)
                flags = value if field == "flags" else flags
            elif not only:
                value = 0
        return value

    def record(self, kind, end):
        count, self.texts = self.row(rwk_dump.RECORDS[kind], end), 1
        for _ in range(count if kind in rwk_dump.LISTS else 0):
            levels = self.row(rwk_dump.LISTS[kind], end)
            for _ in range(levels if kind == 67 else 0):
                self.row("level function:r file:r line:n", end)

    def records(self):
        """The kind, begin and end of each record."""
        while self.at < len(self.payload):
            begin = self.at
            end = self.varint() + self.at
            kind = self.varint()
            if kind in rwk_dump.RECORDS:
                self.record(kind, end)
            self.at = end
            yield kind, begin, end


class Twin:
    def __init__(self, how, data):
        self.how, self.data = how, data
        self.header = bytearray(data[:HEADER])
        if how in ("tables", "addition"):
            self.header[32:48] = bytes(byte ^ 0x5a for byte in self.header[32:48])
            self.header[60:] = struct.pack("<I", rwk_dump.crc32c(self.header[:60]))
        self.seed, = struct.unpack("<I", self.header[60:])
        self.out, self.count = bytearray(self.header), 0

    def changed(self, payload):
        evil = self.how != "bare"

        def change(what, at, length):
            old = payload[at:at + length]
            if evil and what in ("task comm", "comm comm") and length:
                payload[at] = ord("~")
            elif evil and what in NAMES:
                payload[at:at + length] = old.translate(LETTERS)
            elif self.how == "tables" and what == "embed-unwind bytes":
                payload[at:at + length] = bytes(byte ^ 0x15 for byte in old)
            elif self.how == "tables" and what == "mapping module" and length == 1:
                payload[at] = 1
        records = list(Fields(payload, change).records())
        if self.how == "addition":
            kept = (META, MODULE, *range(64, 69))
            return b"".join(payload[begin:end] for kind, begin, end in records if kind in kept)
        return bytes(payload)

    def chunk(self, kind, flags, first, last, payload):
        padded = payload + bytes(-len(payload) % 8)
        head = struct.pack("<4sHBBIIQQQI", b"RWKC", kind, 0, flags, len(payload), len(payload), self.count, first, last,
                           rwk_dump.crc32c(padded))
        self.out += head + struct.pack("<I", rwk_dump.crc32c(head, self.seed)) + padded
        self.count += 1

    def left_out(self, kind):
        dropped = {"bare": (EMBED,), "addition": (EVENTS, END, SNAPSHOTS)}.get(self.how, ())
        return kind in dropped

    def make(self):
        at = HEADER
        while self.data[at:at + 4] == b"RWKC":
            kind, codec, flags, stored, _, _, first, last = struct.unpack_from("<HBBII3Q", self.data, at + 4)
            body = self.data[at + CHUNK:at + CHUNK + stored]
            if not self.left_out(kind):
                payload = bytearray(rwk_dump.lz4_block(body) if codec else body)
                times = (0, 0) if self.how == "addition" else (first, last)
                self.chunk(kind, flags, *times, self.changed(payload))
            at += CHUNK + (stored + 7 & ~7)
        if self.how == "addition":
            self.chunk(END, 0, 0, 0, b"")
        trailer = struct.pack("<8sQI", b"RWKTRAIL", self.count, 0)
        return self.out + trailer + struct.pack("<I", rwk_dump.crc32c(trailer, self.seed))


def main(how, source, target):
    with open(source, "rb") as file:
        data = file.read()
    with open(target, "wb") as file:
        file.write(Twin(how, data).make())


if __name__ == "__main__":
    main(*sys.argv[1:])
