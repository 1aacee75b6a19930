#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""exports_check.py REPORT TRACE OPTION...: reads every export of the trace with Python's own readers of JSON and CSV,
and compares their sums with --folded of each source, and with each other. Prints a line for each difference, nothing
if there are none."""
import collections, csv, decimal, io, json, re, subprocess, sys

SOURCES = ["cpu", "offcpu", "wakers", "tracepoint", "kfunc", "tasks"]
WAITED = {"offcpu", "wakers"}  # --folded prints these in microseconds
INVISIBLE = {*range(0x7F, 0xA0), *range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x206A), 0xFEFF}
wrong = []


def say(text):
    wrong.append(text)


def run(report, options):
    done = subprocess.run([report, "--no-cache", "--no-local-files", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(options)}: exit {done.returncode}: {done.stderr.decode()[-200:]}")
    text = done.stdout.decode("utf-8")  # strict: nothing else may be printed
    if any(ord(char) < 32 and char != "\n" or ord(char) in INVISIBLE for char in set(text)):
        say(f"{' '.join(options[:2])}: a character that nobody sees")
    if options[1] not in ("csv", "csv-stacks") and set(text) & set("<>&"):
        say(f"{' '.join(options[:2])}: markup")
    return text


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


PLACE = ("cgroup", "container", "container_id")


def by_place(rows):
    """(source, cgroup, container, id): events, weight."""
    sums = collections.defaultdict(lambda: [0, 0])
    for row in rows:
        sum = sums[(row["source"], *(row[column] for column in PLACE))]
        sum[0] += int(row.get("events", 1))
        sum[1] += int(row["weight"])
    return dict(sums)


def container_of(text):
    """The column's text: "container NAME (RUNTIME ID)", or "container RUNTIME ID" if it has no name."""
    named = re.fullmatch(r"container (.*) \(\S+ \S+\)", text)
    return named[1] if named else text.split(" ", 2)[2] if text.startswith("container ") else ""


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
    """The name as a word of --folded."""
    return text.replace(";", "\\x3b")


def same_folded(report, trace, options, rows):
    for source in SOURCES:
        sums, folded = collections.defaultdict(int), folded_sums(report, trace, options, source)
        for (kind, comm, stack), (events, weight) in sums_of(rows).items():
            if kind == source:
                sums[word(comm) + (";" + stack if stack else "")] += weight if source in WAITED else events
        if source in WAITED:
            sums = {key: weight // 1000 for key, weight in sums.items()}
        if folded is not None:
            same_sums(f"csv-stacks and --folded --source {source}", dict(sums), dict(folded))


def shows(text, thing):
    """Waits for one page have its number, waits for several do not."""
    if thing.startswith("pages of "):
        return re.search("(pages|page [0-9]+) of " + re.escape(thing[len("pages of "):]), text)
    return thing in text


def same_objects(report, trace, options, rows):
    """The waits of each kind of object, and their texts, from --waits-on of all threads; it has no walked tasks."""
    text = subprocess.run([report, "--no-cache", "--no-local-files", "--waits-on", "--throughout", "--min-percent", "0",
                           *options, trace], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          env={"LC_ALL": "C.UTF-8"}).stdout.decode()
    lines = [line.split() for line in lines_of(text) if re.match(r" +[0-9.]+ +[0-9.]+ +[0-9]+ ", line)]
    shown, exported = collections.Counter(), collections.Counter()
    for words in lines:
        if words[6] != "-":
            shown[words[6]] += int(words[2])
    for row in rows:
        if row["object_kind"] and not row["walk"]:
            exported[row["object_kind"]] += 1
            if not shows(text, row["object"]):
                say(f"csv: --waits-on lacks '{row['object']}'")
    if shown != exported:
        say(f"csv: the kinds of objects are {dict(exported)}, --waits-on has {dict(shown)}")


FEW_OBJECTS = 4096


def object_frames(rows):
    """(source, the frame below the leaf in speedscope): weight, for the objects of waits and walked tasks."""
    frames = collections.defaultdict(int)
    count = len({(row["recording"], row["object_kind"], row["object"]) for row in rows})
    if FEW_OBJECTS // 2 < count <= FEW_OBJECTS:  # several objects may have the same text
        raise SystemExit(f"{count} texts of objects: speedscope may have them, or only their kinds")
    texts = count <= FEW_OBJECTS
    for row in rows:
        if row["object_kind"]:
            thing = word(row["object"] if texts else row["object_kind"])
            frames[row["source"], thing if row["object_kind"] in ("child", "sleep") else "on " + thing] += int(row["weight"])
    return dict(frames)


def speedscope_sums(text, objects):
    """Sums of stacks without the frames for objects, whose weights are compared."""
    data, sums, found = json.loads(text), collections.defaultdict(int), collections.defaultdict(int)
    names = [word(frame["name"]) for frame in data["shared"]["frames"]]
    for profile in data["profiles"]:
        if sum(profile["weights"]) != profile["endValue"] or len(profile["samples"]) != len(profile["weights"]):
            say(f"speedscope: the weights of '{profile['name']}' do not add up")
        for sample, weight in zip(profile["samples"], profile["weights"]):
            chain = [names[frame] for frame in sample]
            container, source = container_of(chain[0]), profile["name"].split()[0].rstrip(",")
            if (source, chain[-1]) in objects:
                found[source, chain.pop()] += weight
            sums[source, container, ";".join(chain[bool(container):])] += weight
    same_sums("csv and speedscope, objects", objects, dict(found))
    return dict(sums)


def weights_of(rows):
    """(source, container, comm;stack): weight."""
    sums = collections.defaultdict(int)
    for row in rows:
        stack = word(row["comm"]) + (";" + row["stack"] if row["stack"] else "")
        sums[row["source"], word(row["container"]), stack] += int(row["weight"])
    return dict(sums)


def exactly(text):
    """Nanoseconds follow the decimal point of microseconds and milliseconds."""
    return json.loads(text, parse_float=decimal.Decimal)


def add_up(pairs):
    sums = collections.defaultdict(lambda: [0, 0])
    for key, weight in pairs:
        sums[key][0] += 1
        sums[key][1] += weight
    return dict(sums)


def by_thread(rows, weight=lambda row: int(row["weight"])):
    """(tid, source or class, stack): events, weight."""
    return add_up(((row["tid"], row["class"] or row["source"], row["stack"]), weight(row)) for row in rows)


def chrome_sums(text):
    events = exactly(text)["traceEvents"]
    stamps = [event["ts"] for event in events if event["ph"] != "M"]
    if stamps != sorted(stamps):
        say("chrome: not in the order of times")
    begins = {event["id"] for event in events if event["ph"] == "s"}
    ends = [event["id"] for event in events if event["ph"] == "f"]
    if len(ends) != len(set(ends)):
        say("chrome: two arrows have one end")
    named = {event["tid"] for event in events if event.get("name") == "thread_name"}
    if any(event["tid"] not in named for event in events if event["ph"] != "f"):
        say("chrome: a thread has no name")
    waits = (((str(event["tid"]), event["name"], event["args"]["stack"]), int(event["dur"] * 1000))
             for event in events if event["ph"] == "X" and event["cat"] == "wait")
    others = (((str(event["tid"]), "wakers" if event["cat"] == "wakeup" else event["cat"], event["args"]["stack"]),
               event["args"].get("weight", 0)) for event in events if event["ph"] in "Xi" and event["cat"] != "wait")
    return add_up(waits), add_up(others), begins, set(ends)


def chrome_containers(text):
    """(tid, container): events; and pid: labels, the last of which counts."""
    places, labels = collections.Counter(), {}
    for event in json.loads(text)["traceEvents"]:
        if event.get("name") == "process_labels":
            labels[str(event["pid"])] = container_of(event["args"]["labels"])
        elif event["ph"] in "Xi":
            places[str(event["tid"]), event["args"].get("container", "")] += 1
    return places, labels


def check_chrome(text, rows):
    waits, others, begins, ends = chrome_sums(text)
    same_sums("csv and chrome's waits", by_thread(row for row in rows if row["source"] == "offcpu"), waits)
    weigh = lambda row: 0 if row["source"] == "wakers" else int(row["weight"])
    same_sums("csv and chrome's other events", by_thread((row for row in rows if row["source"] != "offcpu"), weigh), others)
    woken = sum(row["source"] == "wakers" and row["waker_context"] in ("task", "unknown") for row in rows)
    places, labels = chrome_containers(text)
    if places != collections.Counter((row["tid"], row["container"]) for row in rows):
        say(f"chrome: events are in the containers {dict(places)}")
    for pid in {row["pid"] for row in rows}:
        there = {row["container"] for row in rows if row["pid"] == pid} - {""}
        if labels.get(pid, "") not in (there or {""}):
            say(f"chrome: process {pid} has the label '{labels.get(pid)}' and was in {there}")
    if any(row["source"] == "offcpu" for row in rows) and len(begins) != woken:
        say(f"chrome: {len(begins)} arrows for {woken} wakeups by tasks")
    if begins != ends:
        say(f"chrome: {len(begins ^ ends)} arrows have one end only")


def firefox_stacks(thread):
    """Each stack as "root;...;leaf"."""
    texts, functions, stacks, made = thread["stringArray"], thread["funcTable"], thread["stackTable"], []
    for frame, prefix in zip(stacks["frame"], stacks["prefix"]):
        name = word(texts[functions["name"][thread["frameTable"]["func"][frame]]])
        made.append(name if prefix is None else made[prefix] + ";" + name)
    for table in ("stackTable", "frameTable", "funcTable", "markers", "samples"):
        columns = [column for column in thread[table].values() if isinstance(column, list)]
        if any(len(column) != thread[table]["length"] for column in columns):
            say(f"firefox: columns of {table} differ in length")
    return made


def firefox_sums(text):
    data, samples, markers = exactly(text), [], []
    for thread in data["threads"]:
        stacks, texts = firefox_stacks(thread), thread["stringArray"]
        scale = 1000000 if thread["samples"]["weightType"] == "tracing-ms" else 1
        for stack, weight in zip(thread["samples"]["stack"], thread["samples"]["weight"]):
            samples.append(((str(thread["tid"]), "" if stack is None else stacks[stack]), int(weight * scale)))
        columns = (thread["markers"][name] for name in ("name", "startTime", "endTime", "data"))
        for name, start, end, data in zip(*columns):
            stack = stacks[data["cause"]["stack"]] if "cause" in data else ""
            markers.append(((str(thread["tid"]), texts[name], stack), 0 if end is None else int((end - start) * 1000000)))
    return add_up(samples), add_up(markers)


def plain(stack):
    """Notes on missing parts of a stack have no frame there."""
    return ";".join(name for name in stack.split(";") if name not in PLACEHOLDERS)


PLACEHOLDERS = ("[Missed User Stack]", "[Missed Kernel Stack]", "[no call chain]", "[no kernel frames]", "[no user frames]")


def firefox_containers(text):
    """(tid, container): events. A name may have a comma."""
    places = collections.Counter()
    for thread in json.loads(text)["threads"]:
        _, comma, container = thread["processName"].partition(", container ")
        events = thread["samples"]["length"] + thread["markers"]["length"]
        places[str(thread["tid"]), container_of("container " + container) if comma else ""] += events
    return places


def check_firefox(text, rows):
    samples, markers = firefox_sums(text)
    places = firefox_containers(text)
    if places != collections.Counter((row["tid"], row["container"]) for row in rows):
        say(f"firefox: events are in the containers {dict(places)}")
    same_sums("csv and firefox's samples", samples,
              add_up(((row["tid"], plain(row["stack"])), int(row["weight"])) for row in rows if row["source"] == "cpu"))
    other = [row for row in rows if row["source"] != "cpu"]
    name = lambda row: row["class"] if row["source"] == "offcpu" else "wakeup" if row["source"] == "wakers" else row["name"]
    weigh = lambda row: int(row["weight"]) if row["source"] == "offcpu" else 0
    same_sums("csv and firefox's markers", markers,
              add_up(((row["tid"], name(row), plain(row["stack"])), weigh(row)) for row in other))


def check_tables(report, trace, options):
    events, stacks = (read_csv(run(report, ["--export", form, *options, trace])) for form in ("csv", "csv-stacks"))
    for form, rows in (("ndjson", events), ("ndjson-stacks", stacks)):
        same_rows(form, rows, [json.loads(line) for line in lines_of(run(report, ["--export", form, *options, trace]))])
    same_sums("csv and csv-stacks", sums_of(events), sums_of(stacks))
    same_sums("csv and csv-stacks by cgroup", by_place(events), by_place(stacks))
    same_folded(report, trace, options, stacks)
    same_sums("csv-stacks and speedscope", weights_of(stacks),
              speedscope_sums(run(report, ["--export", "speedscope", *options, trace]), object_frames(events)))
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
    rows = check_tables(report, trace, options)
    check_waits(rows)
    same_objects(report, trace, options, rows)
    if len({row["host"] for row in rows}) < 2 and len({row["recording"] for row in rows}) < 2:  # ids belong to these
        check_chrome(run(report, ["--export", "chrome", *options, trace]), rows)
        check_firefox(run(report, ["--export", "firefox", *options, trace]), rows)
    print("\n".join(wrong[:10]), end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
