#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""viewers_check.py KIND REPORT TRACE TOOLS SCRATCH: an export of the trace, read by the program that it is made for,
shows the sums of --export sqlite. KIND is speedscope, chrome or firefox. Prints a line for each difference, then "compared N"; CHROMIUM is the browser."""
import collections, json, os, re, subprocess, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
import rows as rows_of
wrong = []


def run(words, **more):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, **more)
    if done.returncode not in (0, 3):
        raise SystemExit(f"{words[1]}: exit {done.returncode}: {(done.stderr or done.stdout)[-300:]}")
    return done.stdout


class Exports:
    def __init__(self, report, trace, tools, scratch):
        self.report, self.trace, self.tools, self.scratch = report, trace, tools, scratch

    def file(self, form, *options):
        path = f"{self.scratch}/export.{form}"
        run([self.report, "--no-cache", "--no-local-files", "--export", form, "-o", path, "--force", *options, self.trace])
        return path

    def rows(self):
        return rows_of.read(self.report, self.trace, "--no-local-files")

    def node(self, script, *words):
        return json.loads(run(["node", f"{HERE}/{script}", self.tools, *words]))


def compare(what, mine, theirs):
    for key in sorted(mine.keys() | theirs.keys(), key=str):
        if mine.get(key) != theirs.get(key):
            wrong.append(f"{what}: {key} is {mine.get(key)}, and {theirs.get(key)} there")
    return len(mine)


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
    rows, path = exports.rows(), exports.file("speedscope")
    with open(path, encoding="utf-8") as file:
        first = json.load(file)["profiles"][0]["name"].split()[0]  # the profile that it opens
    wanted = by_function((f"{row['comm']};{row['stack']}", row["weight"]) for row in rows if row["source"] == first)
    rows = shown_by_speedscope(exports, path)
    for total, own, name in rows:
        if name.startswith("[Missed "):  # the database has no frame for it
            continue
        if not near(total, wanted[name][0]) or not near(own, wanted[name][1]):
            wrong.append(f"speedscope: {name} is {wanted[name]}, and {total}, {own} there")
    return len(rows)


def bare(stack):
    """A stack as in the database: without words for what is missing, and without marks."""
    return ";".join(re.sub(r"_\[i\]$", "", name) for name in stack.split(";") if not name.startswith("[Missed "))


def chrome(exports):
    """The waits of one thread. Fields of an event are part of its name there."""
    sums, threads = collections.defaultdict(int), collections.Counter()
    for row in exports.rows():
        if row.get("class"):
            sums[row["tid"], row["class"], row["stack"], row["run_queue_ns"], str(row.get("waker_tid", "")),
                 row.get("waker_stack", "")] += row["weight"]
            threads[row["tid"]] += 1
    thread = threads.most_common(1)[0][0]
    rows = shown_by_speedscope(exports, exports.file("chrome", "--source", "offcpu", "--tid", str(thread)))
    for total, _, name in rows:
        kind, more = name.split(" ", 1)
        more = json.loads(more)
        wanted = sums[thread, kind, bare(more["stack"]), round(more["run_queue_us"] * 1000), str(more.get("waker_tid", "")),
                      bare(more.get("waker_stack", ""))]
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
    for row in exports.rows():
        if row["source"] == "cpu":
            threads[str(row["tid"]), row["comm"]].append((row["stack"], row["weight"]))
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


KINDS = {"speedscope": speedscope, "chrome": chrome, "firefox": firefox}


def main(kind, *words):
    compared = KINDS[kind](Exports(*words))
    print("\n".join([*wrong[:5], f"compared {compared}"]))


if __name__ == "__main__":
    main(*sys.argv[1:])
