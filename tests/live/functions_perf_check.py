#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""functions_perf_check.py PERF FUNCTIONS TOP_DOWN PROGRAM: compares self and total of functions of the program and of
the kernel from `perf report --children -t ';'` (PERF: Children, Overhead, Samples, Shared Object, Symbol) with
--functions and --top-down of a trace that was recorded beside it. Both have samples of the same run, but not the same
ones: they may differ by what chance allows (four standard deviations of the difference) plus one point of 100. Prints
"yes WHAT" or "no WHAT: WHY".
"""
import collections
import math
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../golden"))
import functions_check as ours  # noqa: E402

ENTRY = "_start"  # where frame pointers end
POINT, LEAST = 0.01, 0.02  # allowed in addition to chance; from this share on both must know a function


def kernel_aliases():
    """name -> one of all the names of its address."""
    names, at = {}, {}
    with open("/proc/kallsyms", encoding="utf-8") as lines:
        for line in lines:
            address, kind, name = line.split()[:3]
            if kind in "tTwW" and int(address, 16):
                names.setdefault(name, at.setdefault(address, name))
    return names


class Shares:
    def __init__(self):
        self.self, self.total, self.count = collections.Counter(), collections.Counter(), 0


def read_perf(path, program):
    shares = Shares()
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            words = [word.strip() for word in line.split(";")]
            if line.startswith("#") or len(words) < 5:
                continue
            shares.count += int(words[2])
            symbol = re.sub(r"^\[.\] ", "", words[4])
            module = "kernel" if words[3] == "[kernel.kallsyms]" else words[3]
            if module in ("kernel", program) and symbol != ENTRY:
                shares.total[symbol, module] += float(words[0].rstrip("%")) / 100
                shares.self[symbol, module] += float(words[1].rstrip("%")) / 100
    return shares


def read_functions(path):
    sums, shares = ours.read_functions(path), Shares()
    whole = sum(sums.self.values())
    for name, module in sums.total:
        shares.total[name, module.strip("[]")] += sums.total[name, module] / whole
        shares.self[name, module.strip("[]")] += sums.self[name, module] / whole
    return shares


def read_top_down(path, ambiguous):
    """Shares by name: in each path, only the topmost occurrence of a function counts for its total."""
    sums, shares = ours.read_top_down(path, ambiguous), Shares()
    whole = sum(sums.total[path] for path in sums.total if len(path) == 1)
    for path in sums.total:
        if path[-1] not in path[:-1]:
            shares.total[path[-1]] += sums.total[path] / whole
        shares.self[path[-1]] += sums.self[path] / whole
    return shares


def by(shares, key_of):
    merged = Shares()
    for kind in ("self", "total"):
        for key, share in getattr(shares, kind).items():
            getattr(merged, kind)[key_of(key)] += share
    return merged


def only(shares, keys):
    """The functions that both can know: perf names code of other modules by other rules."""
    kept = by(shares, lambda key: key if key in keys else None)
    del kept.total[None], kept.self[None]
    return kept


def differences(perf, mine, count):
    """For each function that is large in either: "FUNCTION: KIND OURS, PERF'S"."""
    for kind in ("total", "self"):
        theirs, own = getattr(perf, kind), getattr(mine, kind)
        for key in {key for key in list(theirs) + list(own) if max(theirs[key], own[key]) >= LEAST}:
            share = (theirs[key] + own[key]) / 2
            chance = 4 * math.sqrt(max(share * (1 - share), 0) * (1 / count + 1 / perf.count))
            if abs(theirs[key] - own[key]) > POINT + chance:
                yield f"{key}: {kind} {own[key]:.2%}, and {theirs[key]:.2%} by perf, within {POINT + chance:.2%}"


def main():
    perf_path, functions_path, top_down_path, program = sys.argv[1:5]
    aliases = kernel_aliases()
    perf = read_perf(perf_path, program)
    with open(functions_path, encoding="utf-8") as lines:
        count = int(re.search(r": (\d+) samples", lines.readline())[1])

    def of_both(key):
        return (aliases.get(key[0], key[0]), key[1]) if key[1] == "kernel" else key

    functions = by(read_functions(functions_path), of_both)
    names = collections.Counter(key[0] for key in functions.total)
    top_down = read_top_down(top_down_path, {name for name in names if names[name] > 1})
    known = {key for key in functions.total if key[1] in ("kernel", program)}
    perf_functions = by(perf, of_both)
    once = {key[0] for key in known | set(perf_functions.total) if names[key[0]] == 1}
    large = sum(share >= LEAST for share in perf_functions.total.values())
    print(f"# {program}: {perf.count} samples of perf, {count} of ours, {large} functions of 2 % or more")
    pairs = (("--functions", perf_functions, only(functions, known)),
             ("--top-down", only(by(perf_functions, lambda key: key[0]), once),
              only(by(top_down, lambda name: aliases.get(name, name)), once)))
    for what, theirs, mine in pairs:
        theirs.count = perf.count
        wrong = list(differences(theirs, mine, count)) if large else ["there is nothing to compare"]
        print(f"{'no' if wrong else 'yes'} {program} {what}: {'; '.join(wrong[:4]) or 'close to perf report --children'}")


if __name__ == "__main__":
    main()
