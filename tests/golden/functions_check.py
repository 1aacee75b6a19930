#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""functions_check.py SCRIPT FUNCTIONS TOP_DOWN: compares the text of --functions and of --top-down (both with --min-percent 0)
with sums made from the text of --export perf-script of the same events, sample by sample.

A function is a name and a module; a stack counts once for each of its functions. A path is the names from the root on.
Times are printed in tenths of a unit, so that is the tolerance of each line.
"""
import collections
import re
import sys

HEADING = re.compile(r"(?P<comm>\S.*?) +(-1|\d+)/(-1|\d+) +(\[\d+\] +)?(?P<time>\d+\.\d{6}): +(?P<period>\d+) (?P<event>\S+): ")
FRAME = re.compile(r"\t *[0-9a-f]+ (?P<symbol>.+) \((?P<module>[^()]+)\)")
UNITS = {"us": 1e3, "ms": 1e6, "s": 1e9}


def read_script(path):
    """Yields (heading, [(name, module), ...]), leaf first."""
    heading, frames = None, []
    for line in open(path, encoding="utf-8"):
        start, frame = HEADING.match(line), FRAME.fullmatch(line.rstrip("\n"))
        if frame and heading:
            frames.append(function_of(frame["symbol"], module_of(frame["module"])))
        elif start:
            heading, frames = start, []
        elif not line.strip() and heading:
            yield heading, frames or [("[no call chain]", "")]
            heading = None


def module_of(text):
    """perf has a name of its own for the kernel."""
    name = text.rsplit("/", 1)[-1].strip("[]")
    return "kernel" if name == "kernel.kallsyms" else name


def function_of(symbol, module):
    if module == "inlined":
        return re.sub(r"\+0x[0-9a-f]+$", "", symbol) + " [inlined]", ""
    if symbol == "[unknown]":
        return f"[{module}]", ""
    if re.fullmatch(r"\[.*\]\+0x[0-9a-f]+\+0x[0-9a-f]+", symbol):
        return symbol[:symbol.rindex("+0x")], ""
    return re.sub(r"\+0x[0-9a-f]+$", "", symbol), f"[{module}]"


class Sums:
    def __init__(self):
        self.self, self.total, self.count, self.lines = (collections.Counter() for _ in range(4))

    def add(self, key, own, total, count, tolerance=0):
        self.self[key] += own
        self.total[key] += total
        self.count[key] += count
        self.lines[key] += tolerance


def check_run_queues(path):
    """The heading of waits, which has the sums of their classes, and the functions agree about run queues."""
    for line in open(path, encoding="utf-8"):
        found = re.search(r"([0-9.]+) ms on run queues", line)
        if found and not line.startswith("# shorter"):
            break
    else:
        return []
    lines = [(columns, columns.parts(line)[0]) for columns, line in sections(path)]
    summed = sum(columns.amount([texts[2]]) for columns, texts in lines) / 1e6
    if abs(summed - float(found[1])) <= 0.06 * (1 + len(lines)):
        return []
    return [f"{summed:.1f} ms of functions on run queues, and {found[1]} in the heading"]


def bare(name):
    """The name as a step of a path: all code without a name is the same step, whatever its address."""
    return re.sub(r"\+0x[0-9a-f]+$", "", name) if name.startswith("[") else name


def sum_script(samples, timed):
    functions, paths = Sums(), Sums()
    for period, frames in samples:
        weight = period if timed else 1
        for frame in set(frames):
            functions.add(frame, weight if frame == frames[0] else 0, weight, 1)
        names = tuple(bare(name) for name, _ in reversed(frames))
        for depth in range(1, len(names) + 1):
            paths.add(names[:depth], weight if depth == len(names) else 0, weight, 1)
    return functions, paths


class Columns:
    """The columns of amounts in a section, and their unit."""

    def __init__(self, line):
        self.unit = UNITS.get(line.split()[1], 0)
        self.head = None

    def read_head(self, line):
        self.head = re.sub("run queue", "run_queue", line.lstrip("#")).split()

    def parts(self, line):
        """The columns' texts, and the rest."""
        count = len(self.head) - 1
        found = re.match(r" *" + r" +".join([r"(\d\S*)?"] * count) + r"  (.*)", line)
        return found.groups()[:-1], found.groups()[-1]

    def amount(self, texts):
        return sum(float(text) for text in texts) * (self.unit or 1)


def sections(path):
    columns = None
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if re.match(r"# \S+ of each function", line):
            columns = Columns(line)
        elif line.startswith("# ") and columns and not columns.head and line.endswith("  function") or \
                line.startswith("#") and columns and not columns.head and line.endswith("  function"):
            columns.read_head(line)
        elif line.startswith(" ") and columns and columns.head:
            yield columns, line


def read_functions(path):
    sums = Sums()
    for columns, line in sections(path):
        texts, rest = columns.parts(line)
        width = columns.head.index("total") - 1
        name, _, module = rest.rpartition("  ")
        key = (name, module) if name and re.fullmatch(r"\[.*\]", module) else (rest, "")
        if key[0].endswith(" [inlined]"):
            key = (key[0], "")
        total = texts[width + 2:2 * width + 2]
        sums.add(key, columns.amount(texts[1:width + 1]), columns.amount(total),
                 int(texts[-1]) if columns.unit else int(total[0]), 0.1001 * width * columns.unit)
    return sums


def read_top_down(path, ambiguous):
    sums, last, previous, own = Sums(), {}, None, ()
    for columns, line in sections(path):
        if columns is not previous:
            previous, last, own = columns, {}, ()
        texts, rest = columns.parts(line)
        prefix = re.match(r"((?:\|  |   )*)(\|--| --)?", rest)
        column, name = len(prefix[1]), rest[prefix.end():]
        name = re.sub(r" \[[^\]]*\]$", "", name) if name.rsplit(" [", 1)[0] in ambiguous else name
        parent = last.get(column, ()) if prefix[2] else own
        own = parent + (bare(name),)
        last[column + 3 if prefix[2] else column] = own
        width = len(columns.head) - 3
        share, total = float(texts[0].rstrip("%")), columns.amount(texts[1:width + 1])
        self_share = float(texts[-1].rstrip("%"))
        whole = total / share * 100 if share else 0
        sums.add(own, self_share / 100 * whole, total, 0, 0.1001 * width * columns.unit)
    return sums


def compare(what, want, got, slack=lambda key: 0):
    wrong = []
    for key in set(want.total) | set(got.total):
        if abs(want.total[key] - got.total[key]) > got.lines[key]:
            wrong.append(f"{what} {key}: total {got.total[key]:.0f}, and {want.total[key]:.0f} by the samples")
        if abs(want.self[key] - got.self[key]) > got.lines[key] + slack(key):
            wrong.append(f"{what} {key}: self {got.self[key]:.0f}, and {want.self[key]:.0f} by the samples")
    return wrong


def main():
    script, functions, top_down = sys.argv[1:4]
    timed = any(columns.unit for columns, _ in sections(functions))
    samples = [(int(heading["period"]), frames) for heading, frames in read_script(script)]
    want, want_paths = sum_script(samples, timed)
    got = read_functions(functions)
    names = collections.Counter(name for name, _ in want.total)
    got_paths = read_top_down(top_down, {name for name in names if names[name] > 1})
    whole = sum(want.self.values())
    wrong = compare("function", want, got)
    wrong += [f"function {key}: in {got.count[key]} samples, not {want.count[key]}" for key in want.count
              if got.count[key] != want.count[key]]
    # Self is a share with two places there, and the whole is known from another share.
    wrong += compare("path", want_paths, got_paths, lambda key: whole * 1e-4 + want_paths.self[key] * 0.02)
    wrong += check_run_queues(functions)
    if not samples or not got.total or not got_paths.total:
        wrong.append("there is nothing to compare")
    for line in wrong[:5]:
        print(line)
    if not wrong:
        print(f"{len(samples)} events, {len(want.total)} functions, {len(want_paths.total)} paths")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
