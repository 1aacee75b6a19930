#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""svg_timeline_check.py SVG SUMMARY: the picture is XML that holds no script and refers to nothing outside; the
titles of its rows have the times of --summary of the same trace, row by row, in its order; the boxes of a row are
side by side within the picture, and the width of each state is its time in --summary, except for what columns of
pixels and short waits hide.
"""
import collections
import re
import sys
import xml.etree.ElementTree as tree

SPACE = "{http://www.w3.org/2000/svg}"
ALLOWED = {SPACE + name for name in ("svg", "title", "style", "defs", "pattern", "path", "text", "g", "rect")}
MOST_ROWS, MOST_BOXES = 40, 4000
TITLE = re.compile(r"(.*) tid (\d+) pid (\d+)(?:: running ([\d.]+) ms, run queue ([\d.]+) ms, blocked S ([\d.]+) ms, "
                   r"blocked D ([\d.]+) ms, other ([\d.]+) ms, iowait ([\d.]+) ms; (\d+) waits?)?(?:[:;] (\d+) samples?)?")


def read_summary(path):
    """{(comm, tid, pid, recording): figures}; figures in the order of a title."""
    rows = {}
    for line in open(path, encoding="utf-8"):
        found = re.fullmatch(r" *([-\d.]+)" + r" +([-\d.]+)" * 2 + r" +[-\d.]+" + r" +([-\d.]+)" * 5 + r" +(\d+)  (.*) tid (\d+) pid (\d+)(?: recording (\d+))?\n", line)
        if found and not line.startswith("#"):
            rows[found[10], found[11], found[12], found[13] or "1"] = [found[i] for i in range(2, 8)] + [found[9]]
    return rows


def check_elements(root):
    for element in root.iter():
        if element.tag not in ALLOWED:
            yield f"an element {element.tag}"
        for name, value in element.attrib.items():
            if name.startswith("on") or "href" in name or re.search(r"[a-z]+:|//", value):
                yield f"an attribute {name}={value}"
        if element.tag == SPACE + "style" and re.search(r"@import|url\((?!#)", element.text):
            yield "a style from elsewhere"


def boxes_of(row):
    """(class, left, right, title) from left to right."""
    return [(box.get("class"), int(box.get("x")), int(box.get("x")) + int(box.get("width")), box.find(SPACE + "title").text)
            for box in row.iter(SPACE + "rect") if box.get("class") != "z"]


def check_boxes(row):
    ground = next(box for box in row.iter(SPACE + "rect") if box.get("class") == "z")
    left, right = int(ground.get("x")), int(ground.get("x")) + int(ground.get("width"))
    at, title = left, row.find(SPACE + "title").text
    for _, begin, end, _ in boxes_of(row):
        if begin < at or end <= begin or end > right:
            yield f"{title}: a box from {begin} to {end} after {at}"
        at = end


def check_drawn(row, figures):
    """A state that is most of a thread's time is most of its row: columns cannot hide it."""
    drawn = collections.Counter()
    for state, _, _, title in boxes_of(row):
        drawn[state] += float(re.search(r"for ([\d.]+) ms", title)[1])
    running, queued, asleep, deep, other = (float(figure) for figure in figures[:5])
    told = {"c": running, "q": queued, "d": deep, "a": asleep + other}
    whole = sum(told.values())
    for state, time in told.items():
        if whole > 200 and time > 0.9 * whole and not 0.75 * time <= drawn[state] <= 1.35 * time:
            yield f"{row.find(SPACE + 'title').text}: {drawn[state]} ms are drawn as {state}, which are {time}"


def main():
    picture, summary = sys.argv[1:3]
    root, told = tree.parse(picture).getroot(), read_summary(summary)
    wrong, recording, held, seen = list(check_elements(root)), "1", None, 0
    rows = boxes = 0
    for element in root:
        heading = re.match(r"recording (\d+): ", element.text or "") if element.get("class") == "h" else None
        if heading:
            recording, held = heading[1], None
        if element.get("class") != "r":
            continue
        rows += 1
        boxes += len(boxes_of(element))
        found = TITLE.fullmatch(element.find(SPACE + "title").text)
        wrong += check_boxes(element)
        if not found:
            wrong.append(f"a title: {element.find(SPACE + 'title').text}")
        elif found[4]:
            figures, seen = [found[i] for i in range(4, 11)], seen + 1
            if told.get((found[1], found[2], found[3], recording)) != figures:
                wrong.append(f"{found[0]}: --summary has {told.get((found[1], found[2], found[3], recording))}")
            wrong += check_drawn(element, figures)
            now = float(found[5]) + float(found[7])
            if held is not None and now > held + 0.002:
                wrong.append(f"{found[0]}: below {held}")
            held = now
    left_out = sum(int(count) for text in root.iter(SPACE + "text")
                   for count in re.findall(r"^not drawn: (\d+) thread", text.text or ""))
    if rows > MOST_ROWS or boxes > MOST_BOXES:
        wrong.append(f"{rows} rows, {boxes} boxes")
    if len(told) > rows + left_out:
        wrong.append(f"{rows} rows and {left_out} that are not drawn, {len(told)} in --summary")
    for line in wrong[:5]:
        print(line)
    if not wrong:
        print(f"{seen} rows with waits of {len(told)} in --summary, {boxes} boxes")
    sys.exit(bool(wrong))


main()
