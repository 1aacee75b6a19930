# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Names of addresses: functions, lines and inlined calls of random text addresses compared with llvm-symbolizer, with and
without the cache of names; function names alone; and what the cache saves in the second report of a Python program.

The libraries and their debug files are Debian's: fetched once, kept in build/bench/packages.
"""

import json
import os
import pathlib
import random
import shutil
import subprocess
import sys

import process
import settings
import stats
from markdown import Table, verdict

sys.path.append(str(settings.ROOT / "tests/oracle"))
import lines_check  # noqa: E402 pylint: disable=wrong-import-position

ROUNDS = settings.setting("NAMES_ROUNDS", settings.PAIRS, 2)
COUNT = settings.setting("NAMES_COUNT", 20000, 5000)
FUNCTIONS = settings.setting("NAMES_FUNCTIONS", 100000, 100000)
SECONDS = settings.setting("NAMES_SECONDS", 10, 2)     # of the recording
MORE = settings.setting("NAMES_FILES", [], [], settings.words)  # others with debug info
LINES = settings.BUILD / "tests/oracle/lines"
PACKAGES = {"libpython3.11.so.1.0": ("libpython3.11", "python3.11-dbg"), "libcephfs.so.2.0.0": ("libcephfs2", "libcephfs2-dbg")}
PYTHON = "libpython3.11.so.1.0"
KEPT = settings.OUT / "packages"
SYMBOLIZER, OURS, NEW, WARM = "llvm-symbolizer", "ours, no cache", "ours, empty cache", "ours, warm cache"


# --- what is measured -------------------------------------------------------------------------------

def build_id(path):
    notes = subprocess.run(["readelf", "-n", path], capture_output=True, text=True, check=True).stdout
    return notes.rpartition("Build ID: ")[2].split()[0]


def debug_path(folder, path):
    name = build_id(path)
    return folder / ".build-id" / name[:2] / (name[2:] + ".debug")


def fetch(name, packages):
    """Fetches both files into KEPT, if available: of one version, which need not be the installed one."""
    folder = KEPT / "unpacked"
    if not shutil.which("apt-get") or not shutil.which("dpkg"):
        return ["there is no apt-get here"]
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["apt-get", "-q", "download", *packages], cwd=folder, capture_output=True, text=True, check=False)
    for package in folder.glob("*.deb"):
        subprocess.run(["dpkg", "-x", package, folder], check=True)
    library = next(folder.glob("usr/lib/*/" + name), None)
    debug = library and debug_path(folder / "usr/lib/debug", library)
    if debug and debug.exists():
        kept = debug_path(KEPT / "debug", library)
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(debug, kept)
        shutil.move(library, KEPT / name)
    shutil.rmtree(folder)
    return done.stderr.strip().splitlines()[-1:] or ["its debug file is not in the packages"]


def libraries(report, say):
    """{name: (the library, its debug file)} of those that could be fetched."""
    found = {}
    for name, packages in PACKAGES.items():
        library, why = KEPT / name, ""
        if not library.exists():
            say(f"names: fetching {' '.join(packages)}")
            why = fetch(name, packages)[0]
        if library.exists():
            found[name] = (library, debug_path(KEPT / "debug", library))
        else:
            report.text(f"{name} is not measured: {why}.")
    return found


def files(found, folder):
    """{name: file with debug info}: of libraries as Debian packs them, and unpacked."""
    result = {"rwalker-report": pathlib.Path(settings.REPORT)}
    for name, (_, debug) in found.items():
        plain = folder / (name + ".debug")
        subprocess.run(["objcopy", "--decompress-debug-sections", debug, plain], check=True)
        result[name] = plain
        result[name + ", sections compressed"] = debug
    return {**result, **{path: pathlib.Path(path) for path in MORE}}


# --- lines ------------------------------------------------------------------------------------------

def write_addresses(path, file, folder):
    addresses = lines_check.choose(str(file), COUNT)
    path.write_text("".join(f"0x{address:x}\n" for address in addresses), encoding="ascii")
    random.Random(6).shuffle(addresses)
    shuffled = folder / "shuffled"
    shuffled.write_text("".join(f"0x{address:x}\n" for address in addresses), encoding="ascii")
    return len(addresses), shuffled


def check_same(commands, given, folder):
    """A fast answer that differs is useless."""
    texts = []
    for who in (OURS, NEW, WARM):
        process.cpu_of(commands[who], given, folder / "out")
        texts.append((folder / "out").read_bytes())
    if texts[0].count(b"\n") < COUNT or texts.count(texts[0]) != len(texts):
        raise SystemExit("bench: names from the cache are not those without it")


def measure_lines(name, file, folder, say):
    given, cache = folder / "addresses", {who: folder / f"{place}.sqlite" for place, who in enumerate((NEW, WARM))}
    symbolizer = shutil.which("llvm-symbolizer-14") or "llvm-symbolizer"
    count, shuffled = write_addresses(given, file, folder)
    commands = {SYMBOLIZER: [symbolizer, "--inlines", "--no-demangle", f"--obj={file}"], OURS: [LINES, file],
                NEW: [LINES, "-c", cache[NEW], file], WARM: [LINES, "-c", cache[WARM], file]}
    process.cpu_of(commands[WARM], given)
    check_same(commands, given, folder)
    results, order, shuffle = {who: [] for who in commands}, list(commands), random.Random(6)
    for number in range(ROUNDS):
        say(f"names, {name}, round {number + 1} of {ROUNDS}")
        shuffle.shuffle(order)
        for who in order:
            cache[NEW].unlink(missing_ok=True)
            results[who].append(process.cpu_of(commands[who], given))
    for path in cache.values():
        path.unlink(missing_ok=True)
    return {"addresses": count, "bytes": file.stat().st_size, "cpu": results, "symbols": measure_symbols(file, shuffled)}


def lines(report, measured):
    table = Table("file", "MiB", "addresses", "who", "CPU ms", "addresses per second")
    against = Table("file", "who", "times as fast as llvm-symbolizer", "target", "met")
    for name, result in measured.items():
        for who, seconds in result["cpu"].items():
            cpu = stats.estimate([1000 * value for value in seconds])
            table.row(name, f"{result['bytes'] / 1048576:.1f}", result["addresses"], who, cpu.text(1),
                      f"{1000 * result['addresses'] / cpu.median:.0f}")
        for who, wanted in ((OURS, 2), (WARM, 20)):
            ratio = stats.estimate(stats.ratios(result["cpu"][SYMBOLIZER], result["cpu"][who]))
            against.row(name, who, ratio.text(1), f">= {wanted}", verdict(ratio.median >= wanted, f"{ratio.median:.1f}"))
    report.text(
        f"{COUNT} random text addresses, all at once, to `llvm-symbolizer --inlines --no-demangle` and to tests/oracle/lines, which does what "
        "rwalker-report does: DWARF in a child, function names from the symbol table. CPU time of the whole program "
        f"with its children, its output thrown away; files are in the page cache; {ROUNDS} rounds in turns. That both say the same is "
        "for tests/oracle/test_lines.sh; that ours are the same with and without the cache was checked here. Debian compresses the "
        "sections of debug files with zlib.")
    report.table(table)
    report.table(against)


# --- function names -----------------------------------------------------------------------------------

def measure_symbols(file, given):
    command, addresses = [settings.BUILD / "tests/bench/symbols", file], given.read_text(encoding="ascii")
    runs = [subprocess.run(command, input=addresses, capture_output=True, text=True, check=True) for _ in range(ROUNDS)]
    return [json.loads(done.stdout) for done in runs]


def many_functions(folder):
    """A library of FUNCTIONS functions of many lengths, with names as long as C++ ones, in an unsorted table."""
    chosen = random.Random(7)
    names = ["_ZN" + "x" * chosen.randrange(4, 80) + f"{number}E" for number in range(FUNCTIONS)]
    code = [f"{name}: .skip {chosen.randrange(1, 400)},0x90\n.size {name},.-{name}\n" for name in names]
    chosen.shuffle(names)
    source, file = folder / "many.s", folder / "many.so"
    source.write_text("".join(f".type {name},@function\n" for name in names) + ".text\n" + "".join(code), encoding="ascii")
    subprocess.run(["gcc", "-shared", "-nostdlib", "-o", file, source], check=True)
    return file


def symbols(report, measured):
    table = Table("file", "symbols", "read, ms", "index, ms", "index, ms per 100,000", "million lookups per second")
    against = Table("file", "what", "value", "target", "met")
    for name, runs in measured.items():
        count = runs[0]["symbols"]
        built = stats.estimate([run["build_ms"] for run in runs])
        scaled = stats.estimate([run["build_ms"] * 100000 / count for run in runs])
        rate = stats.estimate([run["lookups"] * 1000 / run["lookup_ns"] for run in runs])
        read = stats.estimate([run["read_ms"] for run in runs])
        table.row(name, count, read.text(2), built.text(2), scaled.text(1), rate.text(1))
        against.row(name, "million lookups per second", rate.text(1), ">= 10", verdict(rate.median >= 10, f"{rate.median:.1f}"))
        against.row(name, "index, ms per 100,000 symbols", scaled.text(1), "<= 20", verdict(scaled.median <= 20, f"{scaled.median:.1f}"))
    report.text(
        "Function names alone: the symbol table is read, the index is built, and the addresses are looked up in random order, over and "
        "over, by one thread. CPU time.")
    report.table(table)
    report.table(against)


# --- two reports --------------------------------------------------------------------------------------

SCRIPT = """
import difflib, json, random, re, string, sys, time, zlib
chosen, end = random.Random(1), time.process_time() + float(sys.argv[1])
class Node:
    def __init__(self, value): self.value, self.next = value, None
while time.process_time() < end:
    words = ["".join(chosen.choices(string.ascii_lowercase, k=8)) for _ in range(2000)]
    text = " ".join(sorted(words))
    found = {match.group(0).upper(): len(match.group(0)) ** 3.5 for match in re.finditer(r"[aeiou]+[^aeiou]{2}", text)}
    again = json.loads(json.dumps({"words": words, "found": found}, indent=1))
    nodes = [Node(word) for word in again["words"]]
    total = sum(len(node.value) * 10 ** 40 // 7 for node in nodes)
    difflib.unified_diff(words[:50], sorted(words[:50]))
    text = f"{total:x}".join(word.title() for word in words[::3]).encode().decode("utf-8").replace("a", "bb")
    exec(compile("def f(x):\\n return [y * y for y in range(x)]\\nf(500)", "made", "exec"))
"""
REPORTS = ("no cache", "empty cache", "warm cache")


def record(library, path):
    script = settings.TRACES / "names.py"
    script.write_text(SCRIPT, encoding="ascii")
    command = [settings.RECORD, "-p", "0", "-u", "--dwarf", "--sw-perf", "-f", "997", "--force", "-o", path, "--",
               settings.BUILD / "tests/bench/python_host", library, script, SECONDS]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONHOME": "/usr"})
    if done.returncode not in (0, 3):
        raise SystemExit(f"bench: rwalker-record exited {done.returncode}: {done.stderr.strip()}")


def reports(report, library, say):
    trace, cache = settings.TRACES / "names.trace", settings.TRACES / "names.sqlite"
    say(f"names: recording Python for {SECONDS} s")
    record(library, trace)
    common = [settings.REPORT, "--tree", "--debug-dir", KEPT / "debug"]
    results, texts = {what: [] for what in REPORTS}, set()
    for number in range(ROUNDS):
        say(f"names, reports, round {number + 1} of {ROUNDS}")
        cache.unlink(missing_ok=True)
        for what, options in zip(REPORTS, (["--no-cache"], ["--cache", cache], ["--cache", cache])):
            spent = process.cpu_of([*common, *options, trace], out=settings.TRACES / "names.text", fine=(0, 3))
            results[what].append(spent)
            texts.add((settings.TRACES / "names.text").read_bytes())
    if len(texts) != 1 or b" ceval.c:" not in next(iter(texts)):
        raise SystemExit("bench: reports differ, or have no lines of libpython")
    report.keep("names-reports", results)
    table = Table("report", "CPU ms")
    for what, seconds in results.items():
        table.row(what, stats.estimate([1000 * value for value in seconds]).text(1))
    ratio = stats.estimate(stats.ratios(results["empty cache"], results["warm cache"]))
    against = Table("second report", "value", "target", "met")
    against.row("the first's CPU time / the second's", ratio.text(1), ">= 3", verdict(ratio.median >= 3, f"{ratio.median:.1f}"))
    report.text(
        f"`rwalker-report --tree` of {SECONDS} s of a Python program by `rwalker-record -p --dwarf` at 997 Hz, the interpreter being "
        f"{PYTHON} with Debian's debug file in a --debug-dir: the first report finds an empty cache of names, the second what the first "
        "has put into it. CPU time of the program and its children. The texts are the same.")
    report.table(table)
    report.table(against)


def run(report, say):
    report.heading("Names")
    folder = settings.TRACES / "names"
    folder.mkdir(parents=True, exist_ok=True)
    found = libraries(report, say)
    measured = {name: measure_lines(name, file, folder, say) for name, file in files(found, folder).items()}
    report.keep("names", measured)
    lines(report, measured)
    many = many_functions(folder)
    _, shuffled = write_addresses(folder / "addresses", many, folder)
    names = {name: result["symbols"] for name, result in measured.items() if ", " not in name}
    symbols(report, {**names, "made for this": measure_symbols(many, shuffled)})
    shutil.rmtree(folder)
    if PYTHON in found:
        reports(report, found[PYTHON][0], say)
