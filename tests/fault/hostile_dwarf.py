#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Writes a malicious debug file: hostile_dwarf.py KIND BUILD_ID OUT.

bomb       .debug_info of 1.4 MB expands to 1.4 GB
zstd-bomb  the same with a zstd header that claims to expand to a terabyte
long       a unit of 600 million DIEs
deep       nested DIEs, a million deep
unit       an invalid header, after a unit that has nothing about the trace
child      the first DIE of a unit has no abbreviation
sibling    the second DIE has none
ranges     the ranges of a function are beyond their section
circle     functions inlined into themselves, and ranges without end
scattered  section headers that point everywhere (KIND:SEED)
"""

import random
import struct
import sys
import zlib

ALLOC, EXECUTE, COMPRESSED = 2, 4, 0x800
PROGBITS, STRTAB, NOTE, NOBITS = 1, 3, 7, 8
SECTION = struct.Struct("<IIQQQQIIQQ")


def uleb(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def elf(build_id, sections, scramble=None):
    """sections: (name, type, flags, bytes). A text section that contains every address comes first."""
    note = struct.pack("<III", 4, len(build_id), 3) + b"GNU\0" + build_id
    rows = [("", 0, 0, b"", 0), (".note.gnu.build-id", NOTE, ALLOC, note, 0)]
    rows += [(".text", NOBITS, ALLOC | EXECUTE, b"", 1 << 46)]
    rows += [(name, kind, flags, content, 0) for name, kind, flags, content in sections]
    names = b"\0"
    places = []
    for row in rows + [(".shstrtab", STRTAB, 0, b"", 0)]:
        places.append(len(names))
        names += row[0].encode() + b"\0"
    rows.append((".shstrtab", STRTAB, 0, names, 0))
    # A program header for the note: it identifies the file even if its sections cannot be read.
    body = b""
    headers = b""
    start = 64 + 56
    for (_, kind, flags, content, size), place in zip(rows, places):
        fields = [place, kind, flags, 0, start + len(body), size or len(content), 0, 0, 1, 0]
        if scramble and kind not in (0, STRTAB, NOTE):
            for field in (1, 2, 3, 4, 5, 6, 8, 9):
                if scramble.random() < 0.4:
                    fields[field] = scramble.choice([0, 1, 2, 0x800, start, 1 << 31, 1 << 40, (1 << 63) - 1, (1 << 64) - 1])
            fields[1] &= 0xFFFFFFFF
            fields[6] &= 0xFFFFFFFF
        headers += SECTION.pack(*fields)
        body += content
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    header = ident + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, start + len(body), 0, 64, 56, 1, 64, len(rows), len(rows) - 1)
    segment = struct.pack("<IIQQQQQQ", 4, 4, start, start, start, len(note), len(note), 4)
    return header + segment + body + headers


def compressed(kind, size, stream):
    return struct.pack("<IIQQ", kind, 0, size, 1) + stream


def packed(before, byte, count):
    """zlib's stream of `before` and then MiB of one byte. Each MiB packs to the same bytes, so one is packed and
    repeated."""
    packer = zlib.compressobj(9)
    start = packer.compress(before) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(bytes([byte]) * (1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    end = packer.flush()[:-4]
    total = zlib.adler32(before)
    low, high = total & 0xFFFF, total >> 16
    high = (high + count * low + byte * count * (count + 1) // 2) % 65521
    low = (low + byte * count) % 65521
    return start + block * (count >> 20) + end + struct.pack(">I", high << 16 | low)


# 1: unit with children; 2: empty DIE; 3: DIE with children; 4: function, its ranges; 5: inlined, offset of its
# origin, ranges
ABBREVIATIONS = (
    uleb(1) + uleb(0x11) + b"\x01" + uleb(0x11) + uleb(0x01) + uleb(0x12) + uleb(0x07) + b"\0\0"
    + uleb(2) + uleb(0x34) + b"\x00\0\0"
    + uleb(3) + uleb(0x0B) + b"\x01\0\0"
    + uleb(4) + uleb(0x2E) + b"\x01" + uleb(0x11) + uleb(0x01) + uleb(0x12) + uleb(0x07) + uleb(0x31) + uleb(0x13) + b"\0\0"
    + uleb(5) + uleb(0x1D) + b"\x01" + uleb(0x31) + uleb(0x13) + uleb(0x55) + uleb(0x17) + b"\0\0"
    + b"\0"
)
ROOT = uleb(1) + struct.pack("<QQ", 1, 1 << 45)


def unit(length):
    """The header of a DWARF 4 unit with that many bytes after it."""
    return struct.pack("<IHIB", length + 7, 4, 0, 8)


def info(dies):
    return unit(len(ROOT) + len(dies)) + ROOT + dies


def sections_of(kind):
    if kind == "bomb":
        size = 1400 << 20
        return [(".debug_info", PROGBITS, COMPRESSED, compressed(1, size, packed(b"", 0, size)))]
    if kind == "zstd-bomb":
        return [(".debug_info", PROGBITS, COMPRESSED, compressed(2, 1 << 40, bytes.fromhex("28b52ffd") + bytes(1000)))]
    if kind == "long":
        # Abbreviation 2 over and over: deflate turns about a thousand into one byte.
        count = 600 << 20
        before = unit(len(ROOT) + count) + ROOT
        return [(".debug_info", PROGBITS, COMPRESSED, compressed(1, len(before) + count, packed(before, 2, count)))]
    if kind == "deep":
        return [(".debug_info", PROGBITS, 0, info(b"\x03" * 1000000 + b"\0" * 1000001))]
    if kind == "unit":
        elsewhere = uleb(1) + struct.pack("<QQ", 1, 1) + b"\0"
        return [(".debug_info", PROGBITS, 0, unit(len(elsewhere)) + elsewhere + struct.pack("<IHIB", 100, 9, 0, 8) + bytes(93))]
    if kind == "child":
        return [(".debug_info", PROGBITS, 0, info(uleb(99) + bytes(8)))]
    if kind == "sibling":
        return [(".debug_info", PROGBITS, 0, info(b"\x02" + uleb(99) + bytes(8)))]
    if kind == "ranges":
        inlined = uleb(5) + struct.pack("<II", 11, 1 << 20)
        return [
            (".debug_info", PROGBITS, 0, info(inlined + b"\0\0")),
            (".debug_ranges", PROGBITS, 0, struct.pack("<QQQQ", 1, 1 << 43, 0, 0)),
        ]
    function = uleb(4) + struct.pack("<QQI", 1, 1 << 44, 11 + len(ROOT))
    inlined = uleb(5) + struct.pack("<II", 11 + len(ROOT) + len(function), 0)
    return [
        (".debug_info", PROGBITS, 0, info(function + inlined * 400 + b"\0" * 402)),
        (".debug_ranges", PROGBITS, 0, struct.pack("<QQ", 1, 1 << 43) * 20000),
    ]


def main():
    kind, build_id, out = sys.argv[1:]
    kind, _, seed = kind.partition(":")
    scramble = random.Random(int(seed)) if kind == "scattered" else None
    sections = sections_of("circle" if scramble else kind) + [(".debug_abbrev", PROGBITS, 0, ABBREVIATIONS)]
    with open(out, "wb") as file:
        file.write(elf(bytes.fromhex(build_id), sections, scramble))


if __name__ == "__main__":
    main()
