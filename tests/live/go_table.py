# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""go_table.py FILE: "ADDRESS NAME" of each function in a Go program's .gopclntab (Go 1.18 and later), read
from src/debug/gosym/pclntab.go's description of it. Sections are found with readelf."""
import struct
import subprocess
import sys

path = sys.argv[1]
data = open(path, "rb").read()
for line in subprocess.run(["readelf", "-SW", path], capture_output=True, text=True).stdout.splitlines():
    words = line.split("]", 1)[-1].split()
    if words and words[0] in (".gopclntab", ".data.rel.ro.gopclntab"):
        address, offset, size = (int(word, 16) for word in words[2:5])
        table = data[offset : offset + size]

magic, _, _, pointer = struct.unpack_from("<IHBB", table)
assert magic in (0xFFFFFFF0, 0xFFFFFFF1) and pointer == 8
count, _, text, names, _, _, _, functions = struct.unpack_from("<8Q", table, 8)
if not text:
    relocs = subprocess.run(["readelf", "-rW", path], capture_output=True, text=True).stdout
    slot = "%016x" % (address + 24)
    text = next(int(line.split()[-1], 16) for line in relocs.splitlines() if line.startswith(slot))
seen = {}
for number in range(count):
    start, where = struct.unpack_from("<II", table, functions + 8 * number)
    end = struct.unpack_from("<I", table, functions + 8 * number + 8)[0]
    entry, name = struct.unpack_from("<II", table, functions + where)
    assert entry == start
    if end > start:
        begin = names + name
        print("%x %s" % (text + start, table[begin : table.index(b"\0", begin)].decode()))
