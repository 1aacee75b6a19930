#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares our names for random text addresses of a file with those of llvm-symbolizer.

lines_check.py [--count N] [--known FILE] [--show N] [--reference FILE] [--debug-dir DIR] LINES SYMBOLIZER FILE

llvm-symbolizer reads the reference if it cannot read the file itself. Prints "equal N of M", then each class of
differences with its count. Exit 1 if less than 99.9 % are equal, or if a class is not in the list of known ones or is
larger than allowed there.
"""

import argparse
import os
import random
import subprocess
import sys

SEED = 20261121


def text_ranges(path):
    out = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout
    ranges = []
    for line in out.splitlines():
        words = line.replace("[ ", "[").split()
        if len(words) > 7 and words[0].startswith("[") and words[1] in (".text", ".text.unlikely", ".init.text"):
            ranges.append((int(words[3], 16), int(words[5], 16)))
    return ranges


def choose(path, count):
    generator = random.Random(SEED)
    ranges = text_ranges(path)
    total = sum(size for _, size in ranges)
    chosen = set()
    while len(chosen) < min(count, total // 2):
        at = generator.randrange(total)
        for start, size in ranges:
            if at < size:
                chosen.add(start + at)
                break
            at -= size
    return sorted(chosen)


def blocks(text, columns=False):
    """Lists of (function, file, line), one list per address."""
    result, levels, lines = [], [], iter(text.split("\n"))
    for line in lines:
        if not line:
            if levels:
                result.append(levels)
            levels = []
            continue
        place = next(lines)
        if columns:
            place = place.rpartition(":")[0]
        file, _, number = place.rpartition(":")
        levels.append((line, file, int(number)))
    return result


def functions_by_name(path):
    """{name: addresses} of the symbol table: one function may have several names."""
    out = subprocess.run(["nm", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    names = {}
    for line in out.splitlines():
        address, _, name = line.split(" ", 2)
        names.setdefault(name, set()).add(address)
    return names


def ours(arguments, addresses):
    command = [arguments.lines] + (["-d", arguments.debug_dir] if arguments.debug_dir else []) + [arguments.file]
    text = "".join(f"{a:x}\n" for a in addresses)
    done = subprocess.run(command, input=text, capture_output=True, text=True, errors="replace", check=False)
    if done.stderr:
        print("#", done.stderr.strip())
    return blocks(done.stdout)


def theirs(arguments, addresses):
    command = [arguments.symbolizer, "--inlines", "--no-demangle", f"--obj={arguments.reference or arguments.file}"]
    text = "".join(f"0x{a:x}\n" for a in addresses)
    done = subprocess.run(command, input=text, capture_output=True, text=True, errors="replace", check=True)
    # Without DWARF llvm-symbolizer prints the file from the symbol table, without a folder and a line.
    return [[(function, "??" if not line and "/" not in file else file, line) for function, file, line in levels]
            for levels in blocks(done.stdout, True)]


def plain(path):
    return os.path.normpath(path) if path not in ("??", "") else "??"


def classify(we, they, names):
    """None if they are equal, else the name of the first difference."""
    if we == they:
        return None
    if len(we) != len(they):
        return "depth"
    kinds = []
    for place, (one, other) in enumerate(zip(we, they)):
        last = place + 1 == len(we)
        alias = last and names.get(one[0], set()) & names.get(other[0], set())
        if one[0] != other[0] and not alias:
            kinds.append("symbol" if last else "inlined function")
        if plain(one[1]) != plain(other[1]):
            kinds.append("no file" if "??" in (one[1], other[1]) else "file")
        elif one[2] != other[2]:
            kinds.append("line" if not place else "call line")
    return kinds[0] if kinds else None


def shorten(levels):
    return " < ".join(f"{function[:80]} {file[-60:]}:{line}" for function, file, line in levels)[:600]


def read_known(path):
    """{class: its maximum, in percent} from lines "class | percent | why"; '#' begins a comment."""
    known = {}
    if path:
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.strip() and not line.startswith("#"):
                    name, share = line.split("|")[:2]
                    known[name.strip()] = float(share)
    return known


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--known")
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--reference")
    parser.add_argument("--debug-dir")
    parser.add_argument("lines")
    parser.add_argument("symbolizer")
    parser.add_argument("file")
    arguments = parser.parse_args()
    addresses = choose(arguments.file, arguments.count)
    names = functions_by_name(arguments.reference or arguments.file)
    we, they = ours(arguments, addresses), theirs(arguments, addresses)
    if not addresses or len(we) != len(addresses) or len(they) != len(addresses):
        print(f"{len(addresses)} addresses, {len(we)} answers of ours, {len(they)} of llvm-symbolizer")
        return 1
    found = {}
    for address, one, other in zip(addresses, we, they):
        kind = classify(one, other, names)
        if kind:
            found.setdefault(kind, []).append((address, one, other))
    deep = sum(len(levels) > 1 for levels in we)
    known = sum(levels[0][1] != "??" for levels in we)
    different = sum(len(rows) for rows in found.values())
    print(f"equal {len(addresses) - different} of {len(addresses)}; {known} with a line, {deep} in inlined code")
    allowed = read_known(arguments.known)
    bad = different > len(addresses) / 1000 or not known
    for kind, rows in sorted(found.items()):
        share = 100 * len(rows) / len(addresses)
        bad |= share > allowed.get(kind, 0)
        print(f"#   {kind}: {len(rows)}, {share:.3f} %")
        for address, one, other in rows[: arguments.show]:
            print(f"#     {address:#x}\n#       ours   {shorten(one)}\n#       theirs {shorten(other)}")
    return bad


if __name__ == "__main__":
    sys.exit(main())
