#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""page_check.py REPORT TRACE [--less=BYTES]... [--base=TRACE] [OPTION]...:
decodes the page of --html of a trace and compares its figures with the text of
--folded, --functions, --summary, --top-waits --raw, --folded --wakers and --export perf-script of the same trace.

Exact, except where a text is rounded: there, to its last digit. A page in microseconds (with many events) may be off by
one for each wait.
"""
import ast
import base64
import collections
import hashlib
import html
import html.parser
import os
import re
import subprocess
import sys
import tempfile

import functions_check
from page_payload import IOWAIT, NOT_ENDED, Page

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import rows as rows_of

USER_MISSING = 1
CONTEXT_SOFTIRQ, CONTEXT_IRQ = 2, 3


class Checker:
    def __init__(self, report, trace, options):
        self.command, self.trace = [report, "--no-cache", "--symfs", "/nowhere", "--debug-dir", "/nowhere", *options], trace
        self.wrong, self.done = [], collections.Counter()

    def text(self, *options):
        run = subprocess.run([*self.command, *options, self.trace], capture_output=True, check=False,
                             env={**os.environ, "LC_ALL": "C.UTF-8"})
        if run.returncode not in (0, 3):
            self.wrong.append(f"{' '.join(options)} ended with {run.returncode}: {run.stderr.decode()[:200]}")
        return run.stdout.decode("utf-8")

    def compare(self, what, want, got, slack=0):
        self.done[what] += len(want)
        for key in set(want) | set(got):
            if abs(want.get(key, 0) - got.get(key, 0)) > slack:
                self.wrong.append(f"{what} {key}: {got.get(key)} in the page, {want.get(key)} in the text")


def select(page, number):
    """The options that choose a source."""
    source = page.header["sources"][number]
    options = ["--source", source["kind"]]
    if sum(row["kind"] == source["kind"] for row in page.header["sources"]) > 1:
        probes = [row["name"] for row in page.header["probes"] if row["source"] == number]
        options = [word for name in probes for word in ("--probe", name)] if probes else None
    return options


def word(text):
    return text.replace(";", "\\x3b")


def frame(page, function):
    name, _, kind = page.functions[function]
    return word(name) + ("_[i]" if kind == 2 else "")


def has_kernel(page, stack):
    """Whether a stack's leaf is a function of the kernel, or inlined into one."""
    kinds = [page.functions[function][2] for function in page.stacks[stack]]
    return 1 in kinds


# --- sums ---


def folded(page, number, kernel_only):
    waits = page.header["sources"][number]["kind"] == "offcpu"
    timed = page.header["sources"][number]["kind"] in ("offcpu", "wakers")
    sums = collections.Counter()
    for source, stack, task, flags, count, weight, _ in page.entries():
        if source != number:
            continue
        frames = [frame(page, function) for function in page.stacks[stack]]
        kernel = has_kernel(page, stack)
        if waits and not kernel_only and flags & USER_MISSING and all(page.functions[f][2] in (1, 2) for f in page.stacks[stack]):
            frames.insert(0, "[Missed User Stack]")
        if waits and not kernel:
            frames.append("[Missed Kernel Stack]")
        line = ";".join([word(page.tasks[task]["comm"]), *(frames or [page.header["noFrames"]])])
        sums[line] += weight if timed else count
    return {line: value // 1000 if timed else value for line, value in sums.items()}


def check_folded(checker, page, number, options):
    want = {}
    for line in checker.text("--folded", *options).splitlines():
        chain, _, figure = line.rpartition(" ")
        want[chain] = int(figure)
    checker.compare("folded", want, folded(page, number, "-K" in checker.command))


def check_functions(checker, page, number, options):
    """Self and total of each function."""
    source = page.header["sources"][number]
    timed = source["unit"] == "ns"
    sums = functions_check.Sums()
    for entry_source, stack, _, _, count, weight, _ in page.entries():
        if entry_source != number:
            continue
        chain = page.stacks[stack]
        value = weight if timed else count
        for function in set(chain) or {None}:
            name, module, kind = page.functions[function] if chain else (page.header["noFrames"], "", 0)
            key = (name + " [inlined]", "") if kind == 2 else (name, module)
            sums.add(key, value if not chain or function == chain[-1] else 0, value, count)
    with tempfile.NamedTemporaryFile("w", suffix=".functions", encoding="utf-8") as file:
        file.write(checker.text("--functions", "--throughout", "--min-percent", "0", *options))
        file.flush()
        got = functions_check.read_functions(file.name)
    checker.done["functions"] += len(got.total)
    checker.wrong += [f"functions: {line}" for line in functions_check.compare("function", sums, got)]


def check_totals(checker, page):
    count, weight = collections.Counter(), collections.Counter()
    for source, _, _, _, entry_count, entry_weight, _ in page.entries():
        count[source] += entry_count
        weight[source] += entry_weight
    for number, source in enumerate(page.header["sources"]):
        if (source["count"], int(source["weight"])) != (count[number], weight[number]):
            checker.wrong.append(f"source {number} has {source}, its entries {count[number]}, {weight[number]}")
    checker.done["sources"] += len(page.header["sources"])


# --- single events ---


def check_events(checker, page):
    """Single samples, waits and walked tasks add up to the entries."""
    unit, singles, sums, counts = page.header["unit"], collections.Counter(), collections.Counter(), collections.Counter()
    kinds = [source["kind"] for source in page.header["sources"]]
    for sample in page.samples:
        singles[sample.source, sample.stack, sample.task] += sample.weight
    for wait in page.shown():
        singles[kinds.index("offcpu"), wait.stack, wait.task] += page.part(wait) * unit
    for stack, task in zip(page.columns["walkStack"], page.columns["walkTask"]):
        singles[kinds.index("tasks"), stack, task] += 1
    for source, stack, task, _, count, weight, _ in page.entries():
        if kinds[source] != "wakers" or any(sample.source == source for sample in page.samples):
            sums[source, stack, task] += weight
            counts[source, stack, task] += count
    if unit == 1:
        checker.compare("events", sums, singles)
        return
    for key in set(sums) | set(singles):
        if abs(sums[key] - singles[key]) > unit * counts[key] * (kinds[key[0]] == "offcpu"):
            checker.wrong.append(f"events {key}: {singles[key]} one by one, {sums[key]} in sum")


def check_script(checker, page, number, options):
    """Times of samples are those of perf's text, less the start of the recording."""
    heading = re.compile(r"\S.*? +(-1|\d+)/(-1|\d+) +(\[\d+\] +)?(\d+)\.(\d{6}): ")
    want = collections.defaultdict(list)
    for line in checker.text("--export", "perf-script", *options).splitlines():
        found = heading.match(line)
        if found:
            want[max(0, int(found[2]))].append(int(found[4]) * 1000000 + int(found[5]))
    got = collections.defaultdict(list)
    for sample in page.samples:
        if sample.source == number:
            got[page.tasks[sample.task]["tid"]].append(sample.time * page.header["unit"] / 1000)
    checker.done["times"] += sum(map(len, want.values()))
    if {tid: len(times) for tid, times in want.items()} != {tid: len(times) for tid, times in got.items()}:
        checker.wrong.append(f"times: {number} has samples of other threads than the text")
        return
    distances = [one - other for tid in want for one, other in zip(sorted(want[tid]), sorted(got[tid]))]
    if distances and max(distances) - min(distances) > 2:
        checker.wrong.append(f"times of source {number} differ by {max(distances) - min(distances)} us")


def names(page, stack, kernel):
    """Functions of the kernel's part or of the program's, leaf first."""
    chain = list(reversed(page.stacks[stack]))
    split = max((i + 1 for i, function in enumerate(chain) if page.functions[function][2] == 1), default=0)
    part = chain[:split] if kernel else chain[split:]
    return tuple(page.functions[f][0] + (" [inlined]" if page.functions[f][2] == 2 else "") for f in part)


def check_top_waits(checker, page, options):
    """Totals and longest waits by stack, in whole microseconds."""
    total, longest, count = collections.Counter(), collections.Counter(), collections.Counter()
    for wait in page.shown():
        key, length = (names(page, wait.stack, True), names(page, wait.stack, False)), (wait.end - wait.out) * page.header["unit"]
        total[key] += length
        longest[key] = max(longest[key], length)
        count[key] += 1
    want_total, want_longest, lines = collections.Counter(), collections.Counter(), collections.Counter()
    for line in checker.text("--top-waits", "--raw", *options).splitlines():
        figures, _, tuples = line.partition(" (")
        kernel, _, user = ("(" + tuples).partition(") (")
        key = ast.literal_eval(kernel + ")"), ast.literal_eval("(" + user)
        want_total[key] += int(figures.split()[0])
        want_longest[key] = max(want_longest[key], int(figures.split()[1]))
        lines[key] += 1
    slack = max(lines.values(), default=1) - 1 if page.header["unit"] == 1 else max(count.values(), default=0)
    checker.compare("top waits", want_total, {key: value // 1000 for key, value in total.items()}, slack)
    checker.compare("longest waits", want_longest, {key: value // 1000 for key, value in longest.items()}, slack)


def waker_text(page, wait):
    if not wait.waker or wait.kind.flags & NOT_ENDED:
        return "--;"
    number = wait.waker - 1
    stack = page.columns["wakerStack"][number]
    chain = list(reversed(page.stacks[stack]))
    split = max((i + 1 for i, function in enumerate(chain) if page.functions[function][2] == 1), default=0)
    frames = [frame(page, function) for function in chain[:split]] or ["[Missed Kernel Stack]"]
    if wait.kind.context in (CONTEXT_IRQ, CONTEXT_SOFTIRQ):
        return ";".join(["--", *frames, "irq" if wait.kind.context == CONTEXT_IRQ else "softirq"])
    frames += [frame(page, function) for function in chain[split:]]
    return ";".join(["--", *frames, word(page.tasks[page.columns["wakerTask"][number] - 1]["comm"])])


def check_wakers(checker, page, options):
    """The tasks that ended the waits, and their stacks. Only the sum of waits without a user stack is known."""
    got, count, want = collections.Counter(), collections.Counter(), collections.Counter()
    for wait in page.shown():
        frames = [frame(page, function) for function in page.stacks[wait.stack]]
        if not has_kernel(page, wait.stack):
            frames.append("[Missed Kernel Stack]")
        key = ";".join([word(page.tasks[wait.task]["comm"]), *frames, waker_text(page, wait)])
        got[key] += page.part(wait) * page.header["unit"]
        count[key] += 1
    for line in checker.text("--folded", "--wakers", *options).splitlines():
        chain, _, figure = line.rpartition(" ")
        want[chain.replace(";[Missed User Stack]", "")] += int(figure)
    slack = 1 if page.header["unit"] == 1 else max(count.values(), default=0)
    checker.compare("wakers", want, {key: value // 1000 for key, value in got.items()}, slack)


def check_places(checker, page):
    """The cgroups and containers of threads are those of --export sqlite; none if there are no containers."""
    want = {(str(row["tid"]), row["cgroup"], row.get("container", ""))
            for row in rows_of.read(checker.command[0], checker.trace, *checker.command[1:]) if "cgroup" in row}
    name = lambda text: re.sub(r" \(\S+ \w+\)$", "", text) if text.endswith(")") else text.partition(" ")[2]
    tasks = [page.tasks[task] for task in {entry[2] for entry in page.entries()}]
    got = {(str(task["tid"]), task["cgroup"], name(task["container"])) for task in tasks if task["cgroup"]}
    busy = {(str(task["tid"]), task["cgroup"], name(task["container"])) for task in tasks if task["cgroup"] and not task["flags"] & 2}
    if not any(container for _, _, container in want):
        want = set()
        if page.columns["cgroups"] or page.columns["taskCgroup"]:
            checker.wrong.append("cgroups: the page has some, and there are no containers")
    if want - got or busy - want:
        checker.wrong.append(f"cgroups: {want - got} lack in the page, {busy - want} in the text")
    checker.done["cgroups"] += len(want)


def thread_rows(page):
    """By (recording, tid, tgid): [wall, running, run queue, S, D, other, iowait] in ns, and the number of waits."""
    unit, columns, rows = page.header["unit"], page.columns, {}
    first = {}

    def row_of(recording, task):
        thread = recording, page.tasks[task]["thread"]
        first.setdefault(thread, page.tasks[task])
        return rows.setdefault(thread, [None, 0, 0, 0, 0, 0, 0, 0])

    for wait in page.waits:
        if wait.kind.flags & 32:
            continue
        row, part = row_of(wait.recording, wait.task), page.part(wait)
        queued = min(part, wait.run_queue if wait.kind.wait_class in (0, 4) else wait.end - wait.out)
        row[2] += queued * unit
        row[3 + {"S": 0, "D": 1}.get(wait.kind.state[0], 2)] += (part - queued) * unit
        row[6] += (part - queued) * unit if wait.kind.flags & IOWAIT else 0
        row[7] += 1
    for i, (recording, task) in enumerate(zip(columns["sumRecording"], columns["sumTask"])):
        if columns["sumFlags"][i] & 1:
            continue
        row = row_of(recording, task)
        row[0] = (columns["sumTo"][i] - columns["sumFrom"][i]) * unit
        row[1] = columns["sumRunning"][i]
        for kind in range(7):
            total, queued = (columns[name][7 * i + kind] for name in ("sumTotal", "sumRunQueue"))
            row[2] += min(queued, total)
            row[3 + (kind if kind < 3 else 0)] += total - min(queued, total)
            row[7] += columns["sumCount"][7 * i + kind]
    return {(recording, first[recording, thread]["tid"], first[recording, thread]["tgid"]): row
            for (recording, thread), row in rows.items()}


def check_summary(checker, page, options):
    line_form = re.compile(r" *(-|[\d.]+) +([\d.]+) +([\d.]+) +(?:[\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) +(?:-?[\d.]+|-) +(\d+)  "
                           r".* tid (\d+) pid (\d+)(?: recording (\d+))?")
    want, got, counts = {}, {}, 1
    for line in checker.text("--summary", *options).splitlines():
        found = None if line.startswith("#") else line_form.fullmatch(line)
        if found:
            key = int(found[11] or 1) - 1, int(found[9]), int(found[10])
            for column in range(7):
                want[key + (column,)] = 0 if found[column + 1] == "-" else round(float(found[column + 1]) * 1000)
            want[key + ("waits",)] = int(found[8])
    for key, row in thread_rows(page).items():
        counts = max(counts, row[7])
        for column in range(7):
            got[key + (column,)] = ((row[column] or 0) + 500) // 1000
        got[key + ("waits",)] = row[7]
    checker.compare("summary", want, got, 0 if page.header["unit"] == 1 else counts)


def check_base(checker, page, base):
    """The sums of the trace that the page is compared with, by stack: those of its --folded, of all tasks."""
    for number, source in enumerate(page.header["sources"]):
        if source["kind"] not in ("cpu", "offcpu", "wakers"):
            continue
        got, want, lines = collections.Counter(), collections.Counter(), collections.Counter()
        names_of_base = ("baseSource", "baseStack", "baseCount", "baseWeight")
        for entry_source, stack, count, weight in zip(*(page.columns[name] for name in names_of_base)):
            if entry_source == number:
                frames = [frame(page, function) for function in page.stacks[stack]] or [page.header["noFrames"]]
                got[";".join(frames)] += count if source["kind"] == "cpu" else weight
        for line in Checker(checker.command[0], base, []).text("--folded", "--source", source["kind"]).splitlines():
            chain, _, figure = line.rpartition(" ")
            frames = [text for text in chain.split(";")[1:] if not text.startswith("[Missed ")]
            want[";".join(frames or [page.header["noFrames"]])] += int(figure)
            lines[";".join(frames)] += 1
        if source["kind"] != "cpu":
            got = {key: value // 1000 for key, value in got.items()}
        checker.compare("base", want, got, max(lines.values(), default=0))
    if not checker.done["base"]:
        checker.wrong.append("there is nothing of the base")


# --- the document ---


class Document(html.parser.HTMLParser):
    """The page has only known elements and attributes, and each script and style is allowed by its hash."""

    TAGS = set("html head meta style title body main h1 details summary pre ul li p br noscript script".split())

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.wrong, self.code, self.policy, self.inside, self.shown = [], {}, "", None, ""
        self.counts = collections.Counter()
        own = text.find("</noscript>")
        self.own_end = text.count("\n", 0, own) + 1
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.counts[tag] += 1
        self.inside = tag
        if attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"]
        odd = set(attributes) & {"src", "href", "style", "onload", "onerror"}
        if self.getpos()[0] <= self.own_end and (tag not in self.TAGS or odd):
            self.wrong.append(f"an element that is not ours: {tag} {attributes}")

    def handle_data(self, data):
        if self.inside == "style" or (self.inside == "script" and self.counts["script"] == 2):
            self.code.setdefault(self.inside, "")
            self.code[self.inside] += data
        elif self.inside != "script":
            self.shown += data

    def handle_endtag(self, tag):
        self.inside = None


def check_document(checker, text):
    document = Document(text)
    checker.wrong += document.wrong
    for kind, data in document.code.items():
        value = base64.b64encode(hashlib.sha256(data.encode()).digest()).decode()
        if f"{kind}-src 'sha256-{value}'" not in document.policy:
            checker.wrong.append(f"the policy does not allow its {kind}: {document.policy}")
    if not document.policy.startswith("default-src 'none'; ") or document.counts["script"] != 2 or document.counts["style"] != 1:
        checker.wrong.append(f"the document has {document.counts}, and the policy '{document.policy}'")
    digest = checker.text("--digest")
    if digest not in document.shown:
        checker.wrong.append("the digest is not in the page")


# --- a limit ---


def ticks_by_task(page):
    """Times of the shown waits within their recordings, one by one and in bins: blocked, run queue, other."""
    sums = collections.defaultdict(lambda: [0, 0, 0])
    rows = 1
    for wait in page.shown():
        length = page.header["recordings"][wait.recording]["length"]
        out, end = max(0, wait.out), min(length, wait.end)
        since = min(max(wait.end - wait.run_queue, out), end)
        if out < end:
            row = sums[wait.recording, wait.task]
            row[0 if wait.kind.wait_class == 0 else 2] += since - out
            row[1] += end - since
    for i, key in enumerate(zip(page.columns["binRecording"], page.columns["binTask"])):
        for k, name in enumerate(("binBlocked", "binRunQueue", "binOther")):
            sums[key][k] += page.columns[name][i]
        rows += 1
    return sums, rows


def check_limit(checker, page, size, less):
    """A page within the limit has the same figures, and says what it lacks."""
    most = size - less
    text = checker.text("--html", "--throughout", "--max-page", str(most))
    limited = Page(text)
    if len(text.encode()) > most:
        checker.wrong.append(f"a page of {most} has {len(text.encode())} bytes")
    if not limited.header["what"] or any(what not in html.unescape(text) for what in limited.header["what"]):
        checker.wrong.append(f"a page of {most} does not say what it lacks")
    if limited.entries() != page.entries():
        checker.wrong.append(f"a page of {most} has other sums")
    if limited.header["unit"] == page.header["unit"] and page.waits:
        (want, _), (got, rows) = ticks_by_task(page), ticks_by_task(limited)
        if not 0 < len(limited.waits) + len(limited.columns["binTask"]) or len(limited.waits) >= len(page.waits):
            checker.wrong.append(f"a page of {most} has {len(limited.waits)} of {len(page.waits)} waits")
        for key in set(want) | set(got):
            if max(abs(one - other) for one, other in zip(want[key], got[key])) > rows:
                checker.wrong.append(f"limit {most}: {key} waited {got[key]}, not {want[key]}")
    checker.done[f"limit -{less}"] += len(limited.waits)


def main():
    report, trace, *options = sys.argv[1:]
    limits = [int(options.pop(0)[len("--less="):]) for _ in list(options) if options and options[0].startswith("--less=")]
    base = next((option.partition("=")[2] for option in options if option.startswith("--base=")), None)
    options = [option for option in options if not option.startswith("--base=")]
    checker = Checker(report, trace, options)
    if base:
        check_base(checker, Page(checker.text("--html", "--throughout", "--base", base)), base)
    text = checker.text("--html", "--throughout")
    page = Page(text)
    check_document(checker, checker.text("--html"))
    for most in limits: # in bytes, smaller than the whole page
        check_limit(checker, page, len(text.encode()), most)
    check_totals(checker, page)
    check_events(checker, page)
    check_places(checker, page)
    for number, source in enumerate(page.header["sources"]):
        chosen = select(page, number)
        if not source["count"] or not chosen:
            continue
        check_folded(checker, page, number, chosen)
        if source["kind"] == "offcpu":
            check_top_waits(checker, page, chosen)
            check_wakers(checker, page, chosen)
            check_summary(checker, page, ["--throughout"])
        if source["kind"] != "wakers":
            check_functions(checker, page, number, chosen)
        if source["kind"] in ("cpu", "tracepoint", "kfunc"):
            check_script(checker, page, number, chosen)
    for line in checker.wrong[:int(os.environ.get("MOST", "5"))]:
        print(line[:400])
    if not checker.wrong:
        print(", ".join(f"{what} {count}" for what, count in checker.done.items()))
    sys.exit(bool(checker.wrong))


if __name__ == "__main__":
    main()
