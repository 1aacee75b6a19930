#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""evil_twin.py HOW: reads what --dump prints of a trace, and prints, for make_trace, what a stranger would make to pass for
it. The twin has the same host, modules, build-ids, processes, threads and times. All comms begin with "~"; HOW says what
else differs:

  names     the names of functions, source files, probes and JIT code have other letters
  tables    the same; also unwind tables have other bytes, mappings other modules, and the section another id
  addition  a section without a recording, as --finalize adds one, with these names
  bare      not a twin, but the trace itself without what was embedded"""
import re, sys

LETTERS = str.maketrans("abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm")
NAMES = {"kernel-symbol": ["name"], "probe": ["name"], "symbol": ["name"], "level": ["function", "file"]}
ADDED = {"section", "meta", "module", "symbol", "segment", "line", "level"}


def other_text(match):
    return match[1] + re.sub(r"\\x..|[a-z]+", lambda part: part[0] if part[0][0] == "\\" else part[0].translate(LETTERS), match[2])


def other_bytes(value):
    return lambda match: match[1] + bytes(byte ^ value for byte in bytes.fromhex(match[2])).hex()


def changed(how, kind, line):
    if kind in ("task", "comm"):
        line = re.sub(r'( comm=")[^"]', r"\1~", line)
    for name in NAMES.get(kind, ()):
        line = re.sub(rf'( {name}=")([^"]*)', other_text, line)
    if how == "tables" and kind == "embed-unwind":
        line = re.sub(r"( bytes=)(\w*)", other_bytes(0x15), line)
    if how == "tables" and kind == "mapping":
        line = re.sub(r" module=\d+", " module=1", line)
    if how in ("tables", "addition") and kind == "section":
        line = re.sub(r"( id )(\w+)", other_bytes(0x5A), line)
    return line


def main(how):
    dropped = False
    for line in sys.stdin:
        kind = line.split()[0]
        if kind == "chunk":
            dropped = how == "addition" or (how == "bare" and " type EMBED " in line)
        if not dropped or (how == "addition" and (kind in ADDED or kind.startswith("embed-") or kind == "perf-map")):
            print(line if how == "bare" else changed(how, kind, line), end="")


main(sys.argv[1])
