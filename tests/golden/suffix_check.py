#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""suffix_check.py REPORT TRACE: the objects of waits and walked tasks have the same text in each view and export. The
output of --events and --tasks is compared with the others. Prints the number of texts, or what differs."""
import collections
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import rows as rows_of

report, trace = sys.argv[1:]


def run(*options):
    made = subprocess.run([report, "--no-local-files", "--no-cache", "--throughout", *options, trace], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False, env={**os.environ, "LC_ALL": "C.UTF-8"})
    return made.stdout.decode("utf-8", "replace")


def values(item, keys):
    """All texts with these keys, at any depth."""
    if isinstance(item, dict):
        for key, value in item.items():
            if key in keys and isinstance(value, str):
                yield value
            else:
                yield from values(value, keys)
    elif isinstance(item, list):
        for value in item:
            yield from values(value, keys)


def differ(what, got, wanted):
    odd = list((got - wanted) + (wanted - got))
    assert not odd, f"{what}: {len(odd)} texts differ, as {odd[0]!r}: {got[odd[0]]}, not {wanted[odd[0]]}"


def printed(text, wanted, what):
    """Each text follows the right number of waits. Lines of longer texts that contain it are expected, too."""
    lines = [line + "," for line in text.splitlines()]
    for suffix, count in wanted.items():
        found = sum(f", {suffix}," in line for line in lines)
        longer = sum(number for other, number in wanted.items() if other != suffix and f", {suffix}," in f", {other},")
        assert found == count + longer, f"{what}: {suffix!r} in {found} lines, not {count + longer}"


def of_page():
    """(waits, walked tasks), from the figures that the page's own code gives."""
    lines = subprocess.run(["node", "tests/page/selftest_lines.mjs", "-"], input=run("--html").encode(), stdout=subprocess.PIPE,
                           check=True).stdout.decode().splitlines()
    found = collections.Counter(), collections.Counter()
    for line in map(json.loads, lines):
        if line["what"] == "purpose":
            text = line["text"].removeprefix("walk ")
            found[text != line["text"]][text] += line["count"]
    return found


def main():
    rows = rows_of.read(report, trace, "--no-local-files", "--throughout")
    waits = collections.Counter(row["what_for"] for row in rows if "what_for" in row and "walk" not in row)
    walked = collections.Counter(row["what_for"] for row in rows if "what_for" in row and "walk" in row)
    if shutil.which("node"):
        page_waits, page_walked = of_page()
        differ("the page, waits", page_waits, waits)
        differ("the page, walked tasks", page_walked, walked)
    for name, keys in ("chrome", ("waited_for", "waits_for")), ("firefox", ("waitedFor",)):
        got = collections.Counter(values(json.loads(run("--export", name)), keys))
        differ(name, collections.Counter(list(got)), collections.Counter(list(waits + walked)))
    printed(run("--events"), waits, "--events")  # with --source, the comm of a child may not be known
    printed(run("--tasks"), walked, "--tasks")
    alone = {suffix for suffix in waits if not re.search("page [0-9]|sleep|→|held (at first )?by", suffix)}
    tree = run("--tree", "-v", "--min-percent", "0")
    shown = re.findall(r"\[(.*)  [0-9.]+%\]", tree)
    odd = [text for text in shown if alone and " other" not in text and text not in waits and "pages of" not in text and
           not any(suffix.startswith(text) for suffix in waits)]
    assert not odd, f"--tree -v: {odd[0]!r} is in no other view"
    print(len(waits) + len(walked))


try:
    main()
except AssertionError as why:
    sys.exit(str(why))
