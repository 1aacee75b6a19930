#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""exports_check.py REPORT TRACE OPTION...: reads every export of the trace with Python's own readers of JSON and CSV, adds up
what it finds, and compares that with --folded of each source, and the exports with each other. Prints a line for each that is
wrong; silence is good."""
import collections, csv, io, json, subprocess, sys

SOURCES = ["cpu", "offcpu", "wakers", "tracepoint", "kfunc", "tasks"]
WAITED = {"offcpu", "wakers"}  # --folded prints these in microseconds
wrong = []


def say(text):
    wrong.append(text)


def run(report, options):
    done = subprocess.run([report, "--no-cache", "--no-local-files", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(options)}: exit {done.returncode}: {done.stderr.decode()[-200:]}")
    return done.stdout.decode("utf-8")  # strictly: nothing else may come out


def lines_of(text):
    return [line for line in text.split("\n") if line]


def read_csv(text):
    if not text.endswith("\n"):
        say("csv: the last line has no end")
    rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    for row in rows:
        if None in row or None in row.values():
            say(f"csv: a row with another number of fields: {row}")
    return rows


def same_rows(form, table, listed):
    """CSV has every column, NDJSON only those that are not empty."""
    if len(table) != len(listed):
        return say(f"{form}: {len(table)} rows, but {len(listed)} objects")
    for row, item in zip(table, listed):
        text = {key: str(value) for key, value in item.items()}
        if any(text.get(key, "") != value for key, value in row.items()) or text.keys() - row.keys():
            return say(f"{form}: {row} is {item}")


def sums_of(rows):
    """(source, comm, stack): events, weight."""
    sums = collections.defaultdict(lambda: [0, 0])
    for row in rows:
        sum = sums[row["source"], row["comm"], row["stack"]]
        sum[0] += int(row.get("events", 1))
        sum[1] += int(row["weight"])
    return dict(sums)


def same_sums(what, one, two):
    for key in sorted(one.keys() | two.keys()):
        if one.get(key) != two.get(key):
            return say(f"{what}: {key} is {one.get(key)} and {two.get(key)}")


def folded_sums(report, trace, options, source):
    sums = collections.defaultdict(int)
    text = subprocess.run([report, "--no-cache", "--no-local-files", "--folded", "--source", source, *options, trace],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if text.returncode not in (0, 3):
        return None  # two probes of one kind need a choice
    for line in lines_of(text.stdout.decode()):
        stack, number = line.rsplit(" ", 1)
        sums[stack] += int(number)
    return sums


def word(text):
    """As a word of --folded."""
    return text.replace(";", "\\x3b")


def same_folded(report, trace, options, rows):
    for source in SOURCES:
        sums, folded = collections.defaultdict(int), folded_sums(report, trace, options, source)
        for (kind, comm, stack), (events, weight) in sums_of(rows).items():
            if kind == source:
                sums[";".join(filter(None, (word(comm), stack)))] += weight if source in WAITED else events
        if source in WAITED:
            sums = {key: weight // 1000 for key, weight in sums.items()}
        if folded is not None:
            same_sums(f"csv-stacks and --folded --source {source}", dict(sums), dict(folded))


def speedscope_sums(text):
    data, sums = json.loads(text), collections.defaultdict(int)
    names = [word(frame["name"]) for frame in data["shared"]["frames"]]
    for profile in data["profiles"]:
        if sum(profile["weights"]) != profile["endValue"] or len(profile["samples"]) != len(profile["weights"]):
            say(f"speedscope: the weights of '{profile['name']}' do not add up")
        for sample, weight in zip(profile["samples"], profile["weights"]):
            sums[profile["name"].split()[0].rstrip(","), ";".join(names[frame] for frame in sample)] += weight
    return dict(sums)


def weights_of(rows):
    """(source, comm;stack): weight."""
    sums = collections.defaultdict(int)
    for (source, comm, stack), (_, weight) in sums_of(rows).items():
        sums[source, ";".join(filter(None, (word(comm), stack)))] += weight
    return dict(sums)


def check_tables(report, trace, options):
    events, stacks = (read_csv(run(report, ["--export", form, *options, trace])) for form in ("csv", "csv-stacks"))
    for form, rows in (("ndjson", events), ("ndjson-stacks", stacks)):
        same_rows(form, rows, [json.loads(line) for line in lines_of(run(report, ["--export", form, *options, trace]))])
    same_sums("csv and csv-stacks", sums_of(events), sums_of(stacks))
    same_folded(report, trace, options, stacks)
    same_sums("csv-stacks and speedscope", weights_of(stacks),
              speedscope_sums(run(report, ["--export", "speedscope", *options, trace])))
    return events


def check_waits(rows):
    for row in rows:
        if row["source"] != "offcpu":
            continue
        length = int(row["in_ns"]) - int(row["out_ns"])
        if length != int(row["length_ns"]) or length != int(row["blocked_ns"]) + int(row["run_queue_ns"]):
            say(f"csv: a wait that does not add up: {row}")
        if int(row["weight"]) > length or row["in_ns"] != row["offset_ns"]:
            say(f"csv: a wait with another weight or time: {row}")


def main(report, trace, options):
    check_waits(check_tables(report, trace, options))
    print("\n".join(wrong[:10]), end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
