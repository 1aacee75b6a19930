#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""No BPF program nests calls deeper than the oldest kernel allows, whatever parts of it are wanted.

Linux 6.1 counts 512 bytes for all functions of a chain, each rounded up to 32, whether the call can happen or not; and 8
functions. Callbacks count as called.
"""
import glob
import struct

LIMIT, NESTED, UNIT = 512, 8, 32
SECTION, SYMBOL, RELOCATION, INSTRUCTION = struct.Struct("<IIQQQQIIQQ"), struct.Struct("<IBBHQQ"), struct.Struct("<QQ"), struct.Struct("<BBhi")
SYMBOLS, RELOCATIONS, FUNCTION, IN_SECTION = 2, 9, 2, 3
CALL, LOAD_ADDRESS, COPY, ADD, FRAME = 0x85, 0x18, 0xBF, 0x07, 10


class Object:
    def __init__(self, data):
        self.data = data
        start, count = struct.unpack_from("<Q", data, 40)[0], struct.unpack_from("<H", data, 60)[0]
        self.sections = [SECTION.unpack_from(data, start + i * SECTION.size) for i in range(count)]
        table = next(s for s in self.sections if s[1] == SYMBOLS)
        self.names = self.sections[table[6]][4]
        self.symbols = [SYMBOL.unpack_from(data, at) for at in range(table[4], table[4] + table[5], SYMBOL.size)]
        self.targets = {(s[7], offset): self.symbols[info >> 32] for s in self.sections if s[1] == RELOCATIONS
                        for offset, info in RELOCATION.iter_unpack(data[s[4]:s[4] + s[5]])}
        functions = {(s[3], s[4]): s for s in self.symbols if s[1] & 15 == FUNCTION}
        self.read = {place: self.read_function(*place, symbol[5]) for place, symbol in functions.items()}
        self.programs = [place for place, symbol in functions.items() if symbol[1] >> 4]
        self.name = {place: self.text(symbol[0]) for place, symbol in functions.items()}

    def text(self, at):
        return self.data[self.names + at:self.data.index(b"\0", self.names + at)].decode()

    def read_function(self, section, start, size):
        """How much of the stack it uses, and where the functions begin that it may call."""
        used, called, copy = 1, set(), None
        for at in range(start, start + size, 8):
            code, registers, offset, value = INSTRUCTION.unpack_from(self.data, self.sections[section][4] + at)
            to, source = registers & 15, registers >> 4
            target = self.targets.get((section, at))
            if FRAME in ((source,) if code & 7 == 1 else (to,) if code & 7 in (2, 3) else ()):
                used = max(used, -offset)
            elif code == ADD and to == copy:
                used = max(used, -value)
            copy = to if code == COPY and source == FRAME else copy
            if code == CALL and source == 1:
                local = (section, at + 8 + value * 8)
                called.add(local if not target else
                           (target[3], (value + 1) * 8 if target[1] & 15 == IN_SECTION else target[4]))
            elif code == LOAD_ADDRESS and target:
                called.add((target[3], value if target[1] & 15 == IN_SECTION else target[4]))
        return -(-used // UNIT) * UNIT, called

    def chains(self, place, above=()):
        above += (place,)
        yield sum(self.read[at][0] for at in above), above
        for called in self.read[place][1]:
            if called in self.read and called not in above:
                yield from self.chains(called, above)


objects, findings = sorted(glob.glob("build/bpf/*.bpf.o")), 0
for path in objects:
    with open(path, "rb") as file:
        bpf = Object(file.read())
    for program in bpf.programs:
        for total, chain in (max(bpf.chains(program)), max((len(c), c) for _, c in bpf.chains(program))):
            if total > LIMIT or len(chain) > NESTED:
                findings += 1
                print(f"not ok bpf_stack - {path}: {len(chain)} functions, {sum(bpf.read[at][0] for at in chain)} bytes of stack: "
                      + ", ".join(bpf.name[at] for at in chain))
                break
if not findings:
    print(f"ok bpf_stack ({len(objects)} objects)" if objects else "skip bpf_stack - nothing is built ('make record')")
