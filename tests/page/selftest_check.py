#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""selftest_check.py REPORT TRACE [OPTION]... < LINES: compares a page's own figures (selftest.js) with the text of
--folded, --functions, --summary, --chains and --time of the same trace.

A rounded text is compared to its last digit. A page in microseconds (with many events) may be off by one for each
event. Every third of the page's ranges of time is compared, at CHECK_LEVEL=long all.
"""
import collections
import json
import os
import re
import subprocess
import sys

HEADING = re.compile(r"# (cpu|offcpu|wakers|tracepoint|kfunc|tasks)\b(.*?): (\d+) (?:waits?|samples?|hits?|tasks?|of \d+)(?:, ([\d.]+) ms)?")
FUNCTION = re.compile(r"\s*[\d.]+%.*?\s(\d+)  (?!\s*\d+\.\d+%)(\S.*)$")
STEP = re.compile(r"^[ |]*(?:--)?(?:\d+\.\d+%--)?(.*?)  \(([\d.]+)ms\)$")
TARGET = re.compile(r"^>>> +[\d.]+%  (.*)  \(([\d.]+)ms, (\d+) waits?\)$")
INLINED = 2
MOST_UNSURE = 33  # the part of the time in chains that may have another cause: 3 %; 0.05 to 1.1 were seen, the more where waits are shorter
THREAD_COLUMNS = ("running", "queued", "S", "D", "other", "iowait")


def tenths(weight):
    """ns in tenths of ms, as figure_milliseconds() rounds them."""
    return (int(weight) + 50000) // 100000


def without_objects(text, known):
    """Steps end with the objects of the waits and their shares of time, which differ in microseconds."""
    while text not in known and ", " in text:
        text = text.rpartition(", ")[0]
    return text


class Checker:
    def __init__(self, report, trace, options, lines):
        self.command, self.trace, self.lines = [report, "--no-cache", *options], trace, lines
        self.wrong, self.done = [], 0
        self.sources = {line["source"]: line for line in lines if line["what"] == "source"}
        [head] = [line for line in lines if line["what"] == "unit"]
        self.coarse, self.begin = head["unit"] > 1, 0
        # Waits with less than a microsecond in a range: those of threads that switched at its ends.
        self.at_ends = 4 if self.coarse else 0

    def text(self, *options):
        run = subprocess.run([*self.command, *options, self.trace], capture_output=True, check=False,
                             env={**os.environ, "LC_ALL": "C.UTF-8"})
        if run.returncode not in (0, 3):
            self.wrong.append(f"{' '.join(options)} ended with {run.returncode}: {run.stderr.decode()[:200]}")
        return run.stdout.decode("utf-8").splitlines()

    def find_begin(self):
        """The origin of --time, in ns from the start of the axis, found from the page of a part of the trace, which
        has both."""
        for first in (0.1, 0.5, 1, 1.5, 2, 3):
            page = "\n".join(self.text("--html", "--time", f"{first},"))
            run = subprocess.run(["node", "tests/page/selftest_lines.mjs", "-"], input=page.encode(), capture_output=True, check=False)
            head = json.loads(run.stdout.split(b"\n")[0] or "{}") if page else {}
            if head.get("begin") is not None:
                return head["begin"] * head["unit"] - round(first * 1e9)
        return 0

    def of(self, what):
        return [line for line in self.lines if line["what"] == what]

    def same(self, what, page, text, slack=0):
        self.done += 1
        if abs(page - text) > slack:
            self.wrong.append(f"{what}: {page} in the page, {text} in the text")

    def slack(self, count, unit):
        """The tolerance of a page in microseconds, in the unit of the text."""
        return count * 1000 // unit + 1 if self.coarse else 0

    def headings(self, *options):
        """(kind, name) -> (count, tenths of ms or None), and the lines below each."""
        found, below = {}, collections.defaultdict(list)
        key = None
        for line in self.text("--functions=total", "--min-percent", "0", *options):
            match = HEADING.match(line)
            if match:
                key = match[1], match[2].strip()
                found[key] = int(match[3]), match[4] and round(float(match[4]) * 10)
            elif key:
                below[key].append(line)
        return found, below

    def check_total(self, what, line, found, key):
        count, weight = found.get(key, (0, 0))
        self.same(f"{what} count", line["count"], count, self.at_ends)
        if weight is not None:
            self.same(f"{what} ms", tenths(line["weight"]), weight, self.slack(count, 100000))

    def check_functions(self):
        found, below = self.headings()
        for number, source in self.sources.items():
            if source["kind"] == "wakers":  # the text skips the wakeup's own frames
                continue
            key = source["kind"], source["name"] if source["kind"] != "tasks" else ""
            if key not in found:  # several sources of a kind have other headings
                continue
            self.check_total(f"source {key}", source, found, key)
            text = collections.Counter()
            for line in below[key]:
                match = FUNCTION.match(line)
                if match and not line.startswith("#"):
                    text[match[2]] += int(match[1])
            page = collections.Counter()
            for line in self.of("function"):
                if line["source"] == number:
                    mark = " [inlined]" if line["kind"] == INLINED else ""
                    page[f"{line['name']}{mark}  {line['module']}".rstrip()] += line["count"]
            for name in (set(text) | set(page)) - {"[no call chain]", "[no frames]"}:
                self.same(f"function {name} of {key}", page[name], text[name])

    def check_folded(self):
        for number, source in self.sources.items():
            if source["kind"] == "tasks" or len([s for s in self.sources.values() if s["kind"] == source["kind"]]) > 1:
                continue
            waits = source["kind"] in ("offcpu", "wakers")
            comms, lines = collections.Counter(), collections.Counter()
            for line in self.text("--folded", "--source", source["kind"]):
                words, figure = line.rsplit(" ", 1)
                comms[words.split(";")[0]] += int(figure)
                lines[words.split(";")[0]] += 1
            for line in self.of("comm"):
                if line["source"] != number:
                    continue
                comm = line["comm"].replace(";", "\\x3b")
                page = line["weight"] // 1000 if waits else line["count"]
                slack = lines[comm] + self.slack(line["count"], 1000) if waits else 0
                self.same(f"--folded of {comm} in {source['kind']}", page, comms.pop(comm, 0), slack)
            for comm, figure in comms.items():
                self.same(f"--folded of {comm} in {source['kind']}", 0, figure)

    def check_ranges(self):
        by_time = collections.defaultdict(list)
        self.begin = self.find_begin() if self.of("range") else 0
        for line in self.of("range"):
            by_time[line["from"], line["to"]].append(line)
        for (first, last), lines in list(by_time.items())[:: 1 if os.environ.get("CHECK_LEVEL") == "long" else 3]:
            if not any(self.sources[line["source"]]["count"] and line["count"] for line in lines):
                continue  # the reporter refuses a time without events
            found, _ = self.headings("--time", f"{(first - self.begin) / 1e9:.9f},{(last - self.begin) / 1e9:.9f}")
            for line in lines:
                source = self.sources[line["source"]]
                if source["kind"] in ("tracepoint", "kfunc"):  # headings have the probe's name
                    continue
                self.check_total(f"range {first} to {last} of {source['kind']}", line, found,
                                 (source["kind"], source["name"]))

    def check_summary(self):
        if not any(source["kind"] == "offcpu" for source in self.sources.values()):
            return
        page, text = collections.defaultdict(list), collections.defaultdict(list)
        for line in self.of("thread"):
            page[line["tid"]].append((line["waits"], *((int(line[name] or 0) + 500) // 1000 for name in THREAD_COLUMNS)))
        for line in self.text("--summary"):
            match = re.match(r"\s*(?:[\d.]+|-)((?:\s+(?:-?[\d.]+|-)){2})\s+[\d.]+((?:\s+-?[\d.]+){4})\s+(?:-?[\d.]+|-)\s+(\d+)  .* tid (\d+) pid (\d+)$", line)
            if match:
                text[int(match[4])].append((int(match[3]), *(0 if figure == "-" else round(float(figure) * 1000)
                                                           for figure in (match[1] + match[2]).split())))
        for tid in set(page) & set(text):
            for one, other in zip(sorted(page[tid]), sorted(text[tid])):  # several threads if the tid was reused
                self.same(f"waits of tid {tid}", one[0], other[0])
                for name, got, want in zip(THREAD_COLUMNS, one[1:], other[1:]):
                    self.same(f"{name} of tid {tid}", got, want, self.slack(one[0], 1000))

    def check_chains(self):
        if not self.of("target"):
            return
        lines = [(line["text"].replace(line["purposes"], "") if self.coarse else line["text"], tenths(line["weight"]))
                 for line in self.of("target") + self.of("step")]
        page, text, known = collections.Counter(lines), collections.Counter(), {words for words, _ in lines}
        for line in self.text("--chains", "--min-percent", "0"):
            match = TARGET.match(line) or STEP.match(line)
            if match and not line.startswith("#"):
                text[without_objects(match[1], known) if self.coarse else match[1], round(float(match[2]) * 10)] += 1
        if self.coarse:
            self.check_chains_in_sum(page, text)
            return
        for key in set(text) | set(page):
            self.same(f"chain {key}", page[key], text[key])

    def check_chains_in_sum(self, page, text):
        """Within a microsecond it is unknown whether a waker slept or ran, so some causes get the time of others."""
        sums = {}
        for name, counter in (("page", page), ("text", text)):
            sums[name] = collections.Counter()
            for (words, weight), count in counter.items():
                sums[name][words] += weight * count
        words = set(sums["page"]) | set(sums["text"])
        wrong = sum(abs(sums["page"][word] - sums["text"][word]) for word in words)
        self.done += len(words)
        if wrong * MOST_UNSURE > sum(sums["text"].values()):
            self.wrong.append(f"chains: {wrong / 10} of {sum(sums['text'].values()) / 10} ms have another cause")


def main():
    report, trace, *options = sys.argv[1:]
    limited = options.index("--max-page") if "--max-page" in options else None
    if limited is not None:
        del options[limited:limited + 2]
    checker = Checker(report, trace, options, [json.loads(line) for line in sys.stdin if line.strip()])
    checker.check_functions()
    checker.check_folded()
    if limited is None:  # such a page has its waits only in sum
        checker.check_ranges()
        checker.check_summary()
        if "-c" not in options:  # the page lacks the waits of those who did not pass
            checker.check_chains()
    for line in checker.wrong[:20]:
        print(line)
    print(f"{checker.done} figures compared, {len(checker.wrong)} differ")
    sys.exit(bool(checker.wrong) or not checker.done)


main()
