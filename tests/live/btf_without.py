# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The kernel's types with members renamed, as another version might have them.

btf_without.py FILE STRUCT.MEMBER[=NAME]...: writes the types without these members, or with a pointer
of another NAME in their place."""
import pathlib
import struct
import sys

KIND_BYTES = {1: (4, 0), 3: (12, 0), 4: (0, 12), 5: (0, 12), 6: (0, 8), 13: (0, 8), 14: (4, 0), 15: (0, 12),
              17: (4, 0), 19: (0, 12)}  # by kind: after the first 12 bytes, and of each of its items
POINTER, STRUCT, UNION = 2, 4, 5

class Types:
    def __init__(self, path):
        self.bytes = bytearray(pathlib.Path(path).read_bytes())
        header, types, types_length, strings, self.strings_length = struct.unpack_from('<IIIII', self.bytes, 4)
        self.types, self.end = header + types, header + types + types_length
        self.strings, self.pointer = header + strings, 0

    def name(self, offset):
        start = self.strings + offset
        return self.bytes[start:self.bytes.index(0, start)].decode()

    def members(self):
        """Yields struct, member, and where the offset of the member's name is."""
        at, number = self.types, 0
        while at < self.end:
            number += 1
            name, info = struct.unpack_from('<II', self.bytes, at)
            kind, count = info >> 24 & 31, info & 0xffff
            fixed, each = KIND_BYTES.get(kind, (0, 0))
            if kind == POINTER:
                self.pointer = number
            if kind in (STRUCT, UNION) and name:
                owner = self.name(name)
                for i in range(count):
                    place = at + 12 + 12 * i
                    yield owner, self.name(struct.unpack_from('<I', self.bytes, place)[0]), place
            at += 12 + fixed + each * count

    def rename(self, wanted):
        """A shorter name is a part of the old one, so that no other offset changes."""
        found = set()
        for owner, member, place in list(self.members()):
            name = f'{owner}.{member}'
            if name not in wanted:
                continue
            found.add(name)
            offset = struct.unpack_from('<I', self.bytes, place)[0] + 1
            if wanted[name]:
                offset = self.strings_length
                text = wanted[name].encode() + b'\0'
                self.bytes += text
                self.strings_length += len(text)
                struct.pack_into('<I', self.bytes, 20, self.strings_length)
                struct.pack_into('<I', self.bytes, place + 4, self.pointer)
            struct.pack_into('<I', self.bytes, place, offset)
        return found

def main():
    types = Types('/sys/kernel/btf/vmlinux')
    wanted = dict((part.split('=') + [''])[:2] for part in sys.argv[2:])
    missing = set(wanted) - types.rename(wanted)
    if missing:
        sys.exit(f'this kernel has no {" ".join(sorted(missing))}')
    pathlib.Path(sys.argv[1]).write_bytes(types.bytes)

main()
