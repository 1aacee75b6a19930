#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""viewers_check.py KIND REPORT TRACE TOOLS SCRATCH: an export of the trace, read by the program that it is made for,
shows the sums of --export csv-stacks (which tests/golden/exports_check.py compares with --folded). KIND is duckdb,
speedscope, chrome or firefox. Prints a line for each difference, then "compared N"; CHROMIUM is the browser."""
import collections, csv, io, json, os, re, subprocess, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
wrong = []


def run(words, **more):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, **more)
    if done.returncode not in (0, 3):
        raise SystemExit(f"{words[1]}: exit {done.returncode}: {(done.stderr or done.stdout)[-300:]}")
    return done.stdout


class Exports:
    def __init__(self, report, trace, tools, scratch):
        self.report, self.trace, self.tools, self.scratch = report, trace, tools, scratch

    def text(self, form):
        return run([self.report, "--no-cache", "--no-local-files", "--export", form, self.trace])

    def file(self, form, *options):
        path = f"{self.scratch}/export.{form}"
        run([self.report, "--no-cache", "--no-local-files", "--export", form, "-o", path, "--force", *options, self.trace])
        return path

    def rows(self, form):
        return list(csv.DictReader(io.StringIO(self.text(form), newline="")))

    def node(self, script, *words):
        return json.loads(run(["node", f"{HERE}/{script}", self.tools, *words]))


def compare(what, mine, theirs):
    for key in sorted(mine.keys() | theirs.keys(), key=str):
        if mine.get(key) != theirs.get(key):
            wrong.append(f"{what}: {key} is {mine.get(key)}, and {theirs.get(key)} there")
    return len(mine)


# --- DuckDB ---

def duckdb(exports):
    wanted, compared = collections.defaultdict(lambda: [0, 0]), 0
    for row in exports.rows("csv-stacks"):
        wanted[row["source"], row["comm"], row["stack"]][0] += int(row["events"])
        wanted[row["source"], row["comm"], row["stack"]][1] += int(row["weight"])
    readers = {"csv": "read_csv('{}')", "csv-stacks": "read_csv('{}')", "ndjson": "read_json('{}', format='newline_delimited')",
               "ndjson-stacks": "read_json('{}', format='newline_delimited')"}
    for form, reader in readers.items():
        events = "sum(events)" if form.endswith("stacks") else "count(*)"
        rows = exports.node("duckdb.mjs", f"select source, comm, stack, {events}, sum(weight) from "
                            f"{reader.format(exports.file(form))} group by all")
        compared += compare(f"duckdb {form}", dict(wanted), {tuple(row[:3]): [int(row[3]), int(row[4])] for row in rows})
    return compared


# --- speedscope ---

UNITS = {"ns": 1, "µs": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9}


def near(printed, wanted):
    """A figure with a unit, rounded to its last digit."""
    number, unit = re.fullmatch(r"([0-9.,]+)(ns|µs|ms|s|min)?", printed).groups()
    places = len(number.partition(".")[2])
    scale = UNITS[unit or "ns"]
    return abs(float(number.replace(",", "")) * scale - wanted) <= 0.51 * scale / 10**places


def by_function(rows):
    """name: total, self."""
    sums = collections.defaultdict(lambda: [0, 0])
    for stack, weight in rows:
        names = stack.split(";")
        for name in set(names):
            sums[name][0] += weight
        sums[names[-1]][1] += weight
    return sums


def shown_by_speedscope(exports, path):
    shown = exports.node("speedscope.mjs", os.environ["CHROMIUM"], exports.scratch, path)
    wrong.extend(f"speedscope complains: {text}" for text in shown["complaints"])
    return re.findall(r"([0-9.,]+\S*) \([0-9.]+%\)\s+([0-9.,]+\S*) \([0-9.]+%\)\s+(.*)", shown["text"])


def speedscope(exports):
    rows = exports.rows("csv-stacks")
    first = next(row["source"] for row in rows)  # the profile that it opens
    wanted = by_function((f"{row['comm']};{row['stack']}", int(row["weight"])) for row in rows if row["source"] == first)
    rows = shown_by_speedscope(exports, exports.file("speedscope"))
    for total, own, name in rows:
        if not near(total, wanted[name][0]) or not near(own, wanted[name][1]):
            wrong.append(f"speedscope: {name} is {wanted[name]}, and {total}, {own} there")
    return len(rows)


def chrome(exports):
    """The waits of one thread. Fields of an event are part of its name there."""
    sums, threads = collections.defaultdict(int), collections.Counter()
    for row in exports.rows("csv"):
        if row["class"]:
            sums[row["tid"], row["class"], row["stack"], int(row["run_queue_ns"]), row["waker_tid"],
                 row["waker_stack"]] += int(row["weight"])
            threads[row["tid"]] += 1
    thread = threads.most_common(1)[0][0]
    rows = shown_by_speedscope(exports, exports.file("chrome", "--source", "offcpu", "--tid", thread))
    for total, _, name in rows:
        kind, more = name.split(" ", 1)
        more = json.loads(more)
        wanted = sums[thread, kind, more["stack"], round(more["run_queue_us"] * 1000), str(more.get("waker_tid", "")),
                      more.get("waker_stack", "")]
        if not near(total, wanted):
            wrong.append(f"speedscope: {name} is {wanted}, and {total} there")
    return len(rows)


# --- the Firefox Profiler ---

class Profiler:
    def __init__(self, exports):
        tool = f"{exports.tools}/node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js"
        self.words, self.home = ["node", tool], {**os.environ, "HOME": exports.scratch}

    def ask(self, *words):
        return json.loads(run([*self.words, *words, "--json"], env=self.home))

    def __enter__(self):
        return self

    def load(self, path):
        """Loads a file. The daemon may take longer to start than the command waits."""
        subprocess.run([*self.words, "load", path], env=self.home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(600):
            try:
                return self.ask("thread", "list")
            except (SystemExit, json.JSONDecodeError):
                time.sleep(0.1)
        raise SystemExit("profiler-cli does not answer")

    def __exit__(self, *why):
        subprocess.run([*self.words, "stop"], env=self.home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def firefox(exports):
    threads, compared = collections.defaultdict(list), 0
    for row in exports.rows("csv"):
        if row["source"] == "cpu":
            threads[row["tid"], row["comm"]].append((row["stack"], int(row["weight"])))
    with Profiler(exports) as profiler:
        listed = {(str(thread["tid"]), thread["name"]): thread["threadHandle"]
                  for thread in profiler.load(exports.file("firefox"))["threads"]}
        for thread, stacks in sorted(threads.items()):
            run([*profiler.words, "thread", "select", listed.get(thread, "none")], env=profiler.home)
            sums, wanted = {}, by_function(stacks)
            for function in profiler.ask("thread", "functions", "--include-idle")["functions"]:
                total, own = (round(function[which] * 10**6) for which in ("totalSamples", "selfSamples"))
                if function["name"] in sums:  # in two modules, which may call each other
                    total, own = wanted[function["name"]][0], own + sums[function["name"]][1]
                sums[function["name"]] = [total, own]
            compared += compare(f"firefox {thread}", dict(wanted), sums)
    return compared


KINDS = {"duckdb": duckdb, "speedscope": speedscope, "chrome": chrome, "firefox": firefox}


def main(kind, *words):
    compared = KINDS[kind](Exports(*words))
    print("\n".join([*wrong[:5], f"compared {compared}"]))


if __name__ == "__main__":
    main(*sys.argv[1:])
