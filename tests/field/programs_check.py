#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""programs_check.py stacks GRAPH SCRIPT [NM]    checks call chains against a call graph
programs_check.py addresses SCRIPT         prints the questions for gdb
programs_check.py names SCRIPT ANSWERS     compares the names with gdb's

SCRIPT is the output of "perf script" or "rwalker-report --export perf-script"; the first line of GRAPH explains it; NM is the
output of "nm" for a program whose stripped copy ran. Between a frame and the one after "[caller unknown]" others may be missing."""
import re
import sys

FRAME = re.compile(r"^\s+([0-9a-f]+) (.+?)(?:\+0x([0-9a-f]+))?(?: \((\S*)\))?$")
KERNEL = 1 << 63
UNKNOWN, ELSEWHERE = "[caller unknown]", "[another stack: "
ENDS = ("[another stack]", "[truncated", "[stack not", "[no unwind", "[bad return", "[too deep", "[...")


def plain(name, module):
    """The name without the C library's suffixes for aliases; the module if there is no name."""
    if name == "[unknown]":
        return f"[{module.rsplit('/', 1)[-1]}]" if module and module.startswith("/") else "[anon]"
    return re.sub(r"^(\[[^]]*\])\+0x.*|^\[perf-\d+\.map\].*|@@?GLIBC.*|@plt$|^__GI_", r"\1", name) or "[anon]"


def read_stacks(path, table):
    """Stacks, each a list, leaf first, of (address, name, offset in hexadecimal) or (None, note, None)."""
    stack = []
    with open(path, encoding="utf-8", errors="replace") as script:
        for line in script:
            frame = FRAME.match(line)
            if not frame:
                if stack and not line.strip():
                    yield stack
                    stack = []
                continue
            address, name, module = int(frame[1], 16), frame[2], frame[4]
            if address & KERNEL or address >= KERNEL:
                continue
            if not address and name.startswith("["):
                stack.append((None, name, None))
            elif address:
                named = table.get_name(address) if table and name.startswith("[") else None
                stack.append((address, named or plain(name, module), frame[3]))
    if stack:
        yield stack


class Table:
    """The functions of an unstripped program, by address: if perf has no name, it prints the address in the file."""

    def __init__(self, path):
        rows = []
        with open(path, encoding="ascii") as text:
            for line in text:
                words = line.split()
                if len(words) == 4 and words[2] in "tTwW":
                    rows.append((int(words[0], 16), int(words[1], 16), words[3]))
        self.rows = sorted(rows)

    def get_name(self, address):
        base = self.rows[0][0] & ~0xFFFFF
        for start, size, name in self.rows:
            if start <= (address if address >= base else address + base) <= start + size:
                return name
        return None


class Graph:
    def __init__(self, path):
        self.edges, self.depths, self.roots, self.known = [], [], [], {}
        with open(path, encoding="utf-8") as text:
            for line in text:
                words = line.split()
                if not words or words[0].startswith("#"):
                    continue
                if words[0] == "root":
                    self.roots += words[1:]
                elif words[0] == "depth":
                    self.depths.append((words[1], int(words[2]), words[3], words[4]))
                else:
                    caller, callees = line.split(": ", 1)
                    self.edges.append((re.compile(caller.strip()), re.compile("|".join(callees.split()))))

    def allows(self, caller, callee):
        key = caller, callee
        if key not in self.known:
            self.known[key] = any(a.fullmatch(caller) and b.fullmatch(callee) for a, b in self.edges)
        return self.known[key]

    def is_root(self, name):
        return any(re.fullmatch(root, name) for root in self.roots)

    def wrong_depth(self, names):
        """A recursion with both ends on the stack (leaf first) that is not as deep as it must be."""
        for function, depth, above, below in self.depths:
            run = 0
            for i, name in enumerate(names):
                if re.fullmatch(function, name):
                    run += 1
                    continue
                whole = run and run <= i - 1 and re.fullmatch(above, name) and re.fullmatch(below, names[i - run - 1])
                if whole and run != depth:
                    return f"{run} of {depth} {function}"
                run = 0
        return None


class Tally:
    def __init__(self):
        self.stacks = self.frames = self.right = self.whole = self.rooted = 0
        self.unknown = self.wrong = self.false_roots = 0
        self.shown = {}

    def show(self, what):
        self.shown[what] = self.shown.get(what, 0) + 1

    def add(self, graph, stack):
        names = [name for address, name, _ in stack if address is not None]
        ended = any(address is None and name.startswith(ENDS) for address, name, _ in stack)
        crossed = by_pointer = False
        callee, right, bad = None, 0, None
        for address, name, _ in stack:
            if address is None:
                self.unknown += name == UNKNOWN
                crossed |= name == UNKNOWN or name.startswith(ELSEWHERE)
                by_pointer |= crossed
                continue
            if callee and bad is None and not (crossed or graph.allows(name, callee)):
                bad = f"{name} > {callee}"
                self.wrong += 1
                self.show(bad)
            right += bad is None
            callee, crossed = name, False
        depth = None if bad or by_pointer else graph.wrong_depth(names)
        if depth:
            self.wrong += 1
            self.show(depth)
        root = bool(names) and graph.is_root(names[-1])
        ended |= by_pointer and not root
        self.stacks += 1
        self.frames += len(names)
        self.right += right
        self.rooted += not ended
        self.whole += not ended and root and not bad
        if not ended and not root and not bad:
            self.false_roots += 1
            self.show(f"rooted in {names[-1] if names else 'nothing'}")

    def report(self):
        count = max(self.stacks, 1)
        print(f"stacks={self.stacks} frames={self.frames} right={self.right / count:.2f} whole={self.whole / count:.4f} "
              f"rooted={self.rooted / count:.4f} wrong={self.wrong} unknown={self.unknown} "
              f"false_roots={self.false_roots}")
        for what, times in sorted(self.shown.items(), key=lambda item: -item[1])[:8]:
            print(f"# {times} x {what}")


def judge(graph, script, table=None):
    tally, graph = Tally(), Graph(graph)
    for stack in read_stacks(script, Table(table) if table else None):
        tally.add(graph, stack)
    tally.report()


def code_addresses(script):
    """Each address once, with its name: the instruction of a leaf or an interrupted function; for callers, a byte of
    the call."""
    found = {}
    for stack in read_stacks(script, None):
        leaf = True
        for address, name, offset in stack:
            if address is not None:
                found.setdefault(address - (not leaf and offset != "0"), name)
                leaf = False
    return found


def ask(script):
    for address in code_addresses(script):
        print(f"echo @{address:x}\\n\ninfo symbol {address:#x}")


def without_underscores(name):
    """If an address has several names, gdb prefers a weak one; we, like perf, prefer one that is not weak: __qsort_r
    is qsort_r."""
    return re.sub(r"^_+(vdso_|libc_)?", "", name) if name else name


def compare_names(script, answers):
    ours, theirs, address = code_addresses(script), {}, None
    with open(answers, encoding="utf-8", errors="replace") as text:
        for line in text:
            if line.startswith("@"):
                address = int(line[1:], 16)
            elif address is not None and " in section " in line:
                theirs[address] = plain(re.sub(r"(?: \+ \d+)? in section .*", "", line.strip()), None)
    named = {address: name for address, name in ours.items() if not name.startswith("[")}
    different = {address: name for address, name in named.items()
                 if without_underscores(theirs.get(address)) != without_underscores(name)}
    missing = [address for address in theirs if address in ours and address not in named]
    print(f"names={len(named)} different={len(different)} missing={len(missing)}")
    for address, name in list(different.items())[:8]:
        print(f"# {address:x}: {name}, gdb {theirs.get(address)}")
    for address in missing[:4]:
        print(f"# {address:x}: no name, gdb {theirs[address]}")


if __name__ == "__main__":
    {"stacks": judge, "addresses": ask, "names": compare_names}[sys.argv[1]](*sys.argv[2:])
