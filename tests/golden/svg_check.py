#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""svg_check.py SVG FOLDED UNIT: the picture is XML that holds no script and refers to nothing outside, its boxes lie above their
callers and within the picture, its text fits, and the boxes of each level have the sum of the words of --folded there.

UNIT is us (for waits, which --folded rounds down line by line) or samples. Boxes too narrow to draw are in <metadata>.
"""
import collections
import re
import sys
import xml.etree.ElementTree as tree

SPACE = "{http://www.w3.org/2000/svg}"
ALLOWED = {SPACE + name for name in
           ("svg", "title", "style", "defs", "pattern", "path", "text", "g", "rect", "metadata")}
CHARACTER = 6.61


def read_folded(path):
    sums, lines = collections.Counter(), collections.Counter()
    for line in open(path, encoding="utf-8"):
        words, count = line.rstrip("\n").rsplit(" ", 1)
        for level in range(len(words.split(";")) + 1):
            sums[level] += int(count)
            lines[level] += 1
    return sums, lines


def check_elements(root):
    for element in root.iter():
        if element.tag not in ALLOWED:
            yield f"an element {element.tag}"
        for name, value in element.attrib.items():
            if name.startswith("on") or "href" in name or re.search(r"[a-z]+:|//", value):
                yield f"an attribute {name}={value}"
        if element.tag == SPACE + "style" and re.search(r"@import|url\((?!#)", element.text):
            yield "a style from elsewhere"


def check_boxes(boxes, width, height):
    """Boxes by level, from left to right; each lies within one of the level before."""
    levels = collections.defaultdict(list)
    for box in boxes:
        rect, text = box.find(SPACE + "rect"), box.find(SPACE + "text")
        left, size, top = (float(rect.get(name)) for name in ("x", "width", "y"))
        levels[int(box.get("data-level"))].append((left, left + size, top))
        if box.find(SPACE + "title") is None:
            yield "a box without a title"
        if left < 0 or left + size > width or top < 0 or top + float(rect.get("height")) > height:
            yield f"a box outside of the picture: {box.find(SPACE + 'title').text}"
        if text is not None and len(text.text) * CHARACTER > size + 0.01:
            yield f"text wider than its box: {text.text}"
    for level, spans in levels.items():
        for left, right, top in spans:
            parents = [span for span in levels[level - 1] if span[0] <= left + 0.011 and right <= span[1] + 0.011] if level else [0]
            if not parents:
                yield f"a box of level {level} at {left} is above none"
        ordered = sorted(spans)
        if any(after[0] + 0.011 < before[1] for before, after in zip(ordered, ordered[1:])):
            yield f"boxes of level {level} overlap"
        if len({top for _, _, top in spans}) != 1:
            yield f"boxes of level {level} are at different heights"


def check_sums(root, boxes, folded, unit):
    sums, counts, lines = collections.Counter(), *read_folded(folded)
    for box in boxes:
        sums[int(box.get("data-level"))] += int(box.get("data-samples" if unit == "samples" else "data-weight"))
    for line in (root.find(SPACE + "metadata").text or "").strip().splitlines():
        level, samples, weight = re.fullmatch(r"level (\d+): boxes not drawn \d+, samples (\d+), weight (\d+)", line).groups()
        sums[int(level)] += int(samples if unit == "samples" else weight)
    for level in set(sums) | set(counts):
        drawn = sums[level] / (1 if unit == "samples" else 1000)
        if not -0.001 <= drawn - counts[level] <= (0.001 if unit == "samples" else lines[level]):
            yield f"level {level}: {drawn} in the picture, {counts[level]} in --folded"


def main():
    picture, folded, unit = sys.argv[1:4]
    root = tree.parse(picture).getroot()
    boxes = [element for element in root.iter(SPACE + "g") if element.get("data-level")]
    wrong = [*check_elements(root), *check_boxes(boxes, float(root.get("width")), float(root.get("height"))),
             *check_sums(root, boxes, folded, unit)]
    if len(boxes) < 3:
        wrong.append("there is nothing to compare")
    for line in wrong[:5]:
        print(line)
    if not wrong:
        print(f"{len(boxes)} boxes")
    sys.exit(bool(wrong))


main()
