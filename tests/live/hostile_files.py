#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Makes the files with names for workloads/villain.c, and makes them grow.

hostile_files.py patterns FOLDER            makes a perf-PID.map for the villain's code: "map"
hostile_files.py write                      for lines "PATTERN FILE NAME ID": writes the pattern with that name and id
hostile_files.py link DEBUG FILE...         makes the programs' .gnu_debuglink fit that debug file
hostile_files.py grow map|elf FILE N        adds N lines, or symbols of an ELF file
hostile_files.py stretch map|elf FILE       adds a hole of 1 TiB, which an ELF file says are its symbols
hostile_files.py swap A B                   exchanges their names until it is killed"""
import ctypes, hashlib, os, struct, sys, time, zlib

CODE_AT, CODE_SIZE, TIB = 0x200000000, 4096, 1 << 40
NAME = b"own_code_of_the_villain_"
BUILD_ID = struct.pack("<III", 4, 20, 3) + b"GNU\0"  # comes before its 20 bytes
LINK = b"names.debug\0"  # a whole number of words, then its CRC
SECTION = struct.Struct("<IIQQQQIIQQ")
SHT_SYMTAB, SHT_DYNSYM = 2, 11
RENAME_EXCHANGE, AT_FDCWD = 2, -100

def map_lines(name, count=1):
    return b"%x %x %s\n" % (CODE_AT, CODE_SIZE, name) * count

def patterns(folder):
    with open(f"{folder}/map", "wb") as file:
        file.write(map_lines(NAME))

def write():
    for line in sys.stdin:
        pattern, path, name, build_id = line.split()
        with open(pattern, "rb") as file:
            data = file.read().replace(NAME, name.encode())
        if data.startswith(b"\x7fELF"):
            at = data.index(BUILD_ID) + len(BUILD_ID)
            data = data[:at] + hashlib.sha1(build_id.encode()).digest() + data[at + 20:]
        with open(path, "wb") as file:
            file.write(data)

def link(debug, *programs):
    with open(debug, "rb") as file:
        crc = struct.pack("<I", zlib.crc32(file.read()))
    for path in programs:
        with open(path, "r+b") as file:
            file.seek(file.read().index(LINK) + len(LINK))
            file.write(crc)

def set_symbols(path, size_of, bytes_of):
    """Moves the symbol table to the end of the file, with size_of(old size) bytes that begin with bytes_of(old
    bytes)."""
    with open(path, "r+b") as file:
        data = file.read()
        table, count = struct.unpack_from("<Q", data, 0x28)[0], struct.unpack_from("<H", data, 0x3c)[0]
        at = [table + i * SECTION.size for i in range(count)]
        sections = [(offset, list(SECTION.unpack_from(data, offset))) for offset in at]
        offset, symbols = next(found for kind in (SHT_SYMTAB, SHT_DYNSYM) for found in sections if found[1][1] == kind)
        old = data[symbols[4]:symbols[4] + symbols[5]]
        symbols[4], symbols[5] = (len(data) + 7) // 8 * 8, size_of(len(old))
        file.seek(symbols[4])
        file.write(bytes_of(old))
        file.truncate(symbols[4] + symbols[5])
        file.seek(offset)
        file.write(SECTION.pack(*symbols))

def grow(kind, path, count):
    if kind == "elf":
        return set_symbols(path, lambda size: size + 24 * count, lambda old: old + old[-24:] * count)
    with open(path, "ab") as file:
        file.write(map_lines(b"another_name", count))

def stretch(kind, path):
    if kind == "elf":
        return set_symbols(path, lambda size: TIB // 24 * 24, lambda old: old)
    os.truncate(path, TIB)

def swap(a, b):
    rename = ctypes.CDLL(None, use_errno=True).renameat2
    while not rename(AT_FDCWD, a.encode(), AT_FDCWD, b.encode(), RENAME_EXCHANGE):
        time.sleep(0.001)
    sys.exit(os.strerror(ctypes.get_errno()))

def main(what, *arguments):
    if what == "grow":
        return grow(arguments[0], arguments[1], int(arguments[2]))
    return {"patterns": patterns, "write": write, "link": link, "stretch": stretch, "swap": swap}[what](*arguments)

if __name__ == "__main__":
    main(*sys.argv[1:])
