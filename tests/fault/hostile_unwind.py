#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""hostile_unwind.py KIND BYTES: prints, as text for make_trace, a trace of one module with an .eh_frame of this kind and at
most that many bytes, and samples throughout its code, each with a stack whose words are addresses of that code.
hostile_unwind.py zeros:SECTION MODULES:PIECES: that many modules with one sample in each, and a section of each that claims
the largest size and has that many pieces of zeros; with 512 it is complete. hostile_unwind.py: prints the kinds."""
import random, struct, sys

FIRST, STACK, LENGTH, SAMPLES, WORDS = 0x10000000, 0x7000000, 1 << 20, 300, 2000
SECTION, PIECE = 64 << 20, 128 << 10  # format/limits.h
ADVANCE_1, REMEMBER, RESTORE, DEF_CFA, CFA_OFFSET, CFA_EXPRESSION, EXPRESSION, OFFSET_OF_RA = 2, 10, 11, 12, 14, 15, 16, 0x90
OP_DEREF, OP_CONST1, OP_DUP, OP_BRA, OP_SKIP, OP_BREG_SP = 6, 8, 0x12, 0x28, 0x2F, 0x77

# CFA = sp + 8, return address at CFA - 8: as at the start of a function. Its offset is 0.
CIE = struct.pack("<II", 16, 0) + bytes([1, 0, 1, 0x78, 16, DEF_CFA, 7, 8, OFFSET_OF_RA, 1, 0, 0])


def fde(at, start, size, program=b""):
    """At that offset of the section."""
    return struct.pack("<IIQQ", 20 + len(program), at + 4, start % 2**64, size % 2**64) + program


def fdes(most, *places):
    """Entries without a program as long as there is room; places: functions from the number to start and size."""
    start, size = places
    return CIE + b"".join(fde(len(CIE) + 24 * i, start(i), size(i)) for i in range((most - len(CIE)) // 24))


def programs(*parts):
    section = CIE
    for program in parts:
        section += fde(len(section), 0, LENGTH, program)
    return section


def circle(_):
    """The CIE of each entry is an FDE, or comes later, or is the entry itself."""
    return CIE + b"".join(struct.pack("<IIQQ", 20, (4, 28, 2**32 - 48)[i % 3], i, LENGTH) for i in range(10000))


def long_lengths(_):
    lengths, section = [2**64 - 1, 2**64 - 13, 1 << 63, SECTION, 1], CIE
    for i in range(1000):
        section += fde(len(section), i * 100, 100) + struct.pack("<IQQQI", 2**32 - 1, 20 if i < 995 else lengths[i - 995], 0, 1, 2)
    return section


def loop(_):
    """An endless loop, and one that piles up values without end."""
    endless = bytes([CFA_EXPRESSION, 6, OP_CONST1, 1, OP_DUP, OP_SKIP, 0xFC, 0xFF, OFFSET_OF_RA, 1])
    piles = bytes([CFA_EXPRESSION, 6, OP_CONST1, 1, OP_BRA, 0xFB, 0xFF, OP_DUP, OFFSET_OF_RA, 1])
    section = CIE + fde(len(CIE), 0, LENGTH // 2, endless)
    return section + fde(len(section), LENGTH // 2, LENGTH // 2, piles)


def augmented(_):
    """Augmentations that never end, and ones longer than the data."""
    strings, section = [b"zPLR", b"zRRRRRRRRR", b"eh", b"zQ", b"PPPPPPPP", b"zS", b"zB"], []
    for i in range(7000):
        cie = struct.pack("<I", 0) + b"\1" + strings[i % 7] + b"\0" + bytes.fromhex("ffffffffffffffff7f9b9b1b8050ff0f")
        section.append(struct.pack("<I", len(cie)) + cie + struct.pack("<IIQQ", 20, 4 + len(cie) + 4, i * 100, 100))
    return b"".join(section)


def many(most):
    return fdes(most, lambda i: i % LENGTH, lambda i: 1)


def scattered(most):
    section, numbers = bytearray(many(most).ljust(most, b"\0")), random.Random(15)
    for _ in range(most // 64):
        section[numbers.randrange(most)] = numbers.randrange(256)
    return bytes(section)


ROW = bytes([ADVANCE_1, 1, CFA_OFFSET, 16, ADVANCE_1, 1, CFA_OFFSET, 24])
KINDS = {
    "honest": lambda most: programs(b""), "circle": circle, "many": many, "long-lengths": long_lengths, "loop": loop,
    "no-progress": lambda most: programs(bytes([DEF_CFA, 7, 0, OFFSET_OF_RA, 0])),  # the caller's frame is this same frame
    # Each is within the one before, down to the middle.
    "overlapping": lambda most: fdes(most, lambda i: i % (LENGTH // 2), lambda i: LENGTH - 2 * (i % (LENGTH // 2))),
    "everywhere": lambda most: fdes(most, lambda i: i, lambda i: 2**64 - 1 - i),
    "many-rows": lambda most: programs(ROW * (most // 4 // 8), ROW * ((most * 3 // 4 - 100) // 8)),
    "remembered": lambda most: programs(bytes([REMEMBER]) * (most // 2), bytes([RESTORE]) * (most // 2 - 100)),
    "long-expression": lambda most: programs(
        bytes([EXPRESSION, 16, 0x80, 0x80, 0x80, 1, OP_BREG_SP, 0]) + bytes([OP_DEREF]) * ((2 << 20) - 2)),
    "augmented": augmented, "scattered": scattered, "nothing": bytes,
}


def varint(value):
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def snapshot(number, address, words):
    registers = varint(2 * STACK) + varint(2 * address)  # the stack pointer and the instruction pointer
    stack = varint(len(words) << 2 | 2) + struct.pack(f"<{len(words)}Q", *words)
    print(f"snapshot time={1999 + number} number={number} known=0x10080 registers={registers.hex()} address={STACK:#x} "
          f"size={8 * len(words)} stack={stack.hex()}")


def main(kind, size):
    zeros, _, section = kind.partition(":")
    modules, pieces = map(int, size.split(":")) if section else (1, 0)
    samples = modules if section else SAMPLES
    addresses = [FIRST + i * LENGTH + 16 if section else FIRST + i * (LENGTH // SAMPLES) for i in range(samples)]
    print('meta key="hostname" value="here"\nmeta key="machine" value="x86_64"')
    print('source id=1 kind=1 weight=2 name="cpu-clock" frequency=1000 period=1ms start=1000 stop=2s flags=0x5')
    for i in range(modules):
        print(f'module id={i + 1} kind=1 path="/made/{i}" build_id=aabbccdd{i + 1:08x}')
        print(f"mapping time=1000 tgid=100 start={FIRST + i * LENGTH:#x} length={LENGTH} module={i + 1}")
    for i, address in enumerate(addresses):
        snapshot(i + 1, address, [0] if section else [FIRST + (j * 7919 + i * 104729) % LENGTH for j in range(WORDS)])
    print('task tgid=100 tid=100 comm="hostile"')
    for i, address in enumerate(addresses):
        print(f"sample time={2000 + i} task=1 source=1 user={address:#x} snapshot={i + 1}")
    for i in range(modules):
        print(f"embed-module module={i + 1} status=1 machine=62")
        print(f"segment file_offset=0x0 address=0x0 file_size={LENGTH:#x} memory_size={LENGTH:#x} flags=0x5")
        print(f'embed-symbols module={i + 1}\nsymbol address=0x0 size={LENGTH:#x} name="function"')
        for piece in range(pieces):
            print(f"embed-unwind module={i + 1} section={section} size={SECTION} offset={piece * PIECE} bytes={PIECE}*00")
    if not section:
        table = KINDS[kind](int(size))
        for at in range(0, len(table), PIECE):
            print(f"embed-unwind module=1 section=1 address={2 * LENGTH:#x} size={len(table)} offset={at} bytes={table[at:at + PIECE].hex()}")


if len(sys.argv) == 3:
    main(*sys.argv[1:])
else:
    print("\n".join(KINDS))
