#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""collapse.py [--weights] [EVENT]: converts the text of "perf script" on stdin, samples with call chains, to folded stacks.

It counts like FlameGraph's stackcollapse-perf.pl; EVENT is a regular expression for the wanted events. It is stricter: a line
that perf would not print is an error, except for our notes on why a stack ends, as in "0 [truncated] ([unknown])". With
--weights a stack counts the sum of its events' periods, in thousands, else the number of its events.
"""
import collections
import re
import sys

# -1: perf prints this for a task that is gone
HEADING = re.compile(r"(?P<comm>\S.*?) (?=[ \d-]{5}/)(?P<pid> *(-1|\d+))/(?P<tid>(-1|\d+) *) (\[\d{3,}\] )?(?=[ \d]{5})( *\d+)\.\d{6}: "
                     r"(?=[ \d]{10})(?P<period> *\d+) (?P<event>\S+): ")
NOTE = r"(?<= 0 )\[[a-z :]+\](?= \(\[unknown\]\))"
FRAME = re.compile(r"\t(?=[ 0-9a-f]{16} )(?P<ip> *[0-9a-f]+) (?P<symbol>\[unknown\]|" + NOTE + r"|.+\+0x[0-9a-f]+) \((?P<module>.+)\)")


def name_of(frame):
    symbol, module = frame["symbol"], frame["module"]
    if symbol.startswith("[") and symbol.endswith("]") and symbol != "[unknown]":
        return symbol
    if symbol != "[unknown]":
        return symbol[:symbol.rindex("+0x")].replace(";", "\\x3b")
    return "[" + module.rsplit("/", 1)[-1].strip("[]") + "]"


def main():
    words = [word for word in sys.argv[1:] if word != "--weights"]
    wanted = re.compile(words[0] if words else ".*")
    counts, stack, period = collections.Counter(), None, 0
    for number, line in enumerate(sys.stdin, 1):
        line = line.rstrip("\n")
        heading, frame = HEADING.fullmatch(line), FRAME.fullmatch(line)
        if stack is None and heading:
            stack, event = [heading["comm"]], heading["event"]
            period = int(heading["period"]) if "--weights" in sys.argv else 1
        elif stack is not None and frame:
            stack.insert(1, name_of(frame))
        elif stack is not None and not line:
            if wanted.fullmatch(event):
                counts[";".join(stack if len(stack) > 1 else stack + ["[no call chain]"])] += period
            stack = None
        else:
            sys.exit(f"collapse.py: line {number} is none of perf's: {line!r}")
    for line, count in counts.items():
        print(line, count // 1000 if "--weights" in sys.argv else count)


main()
