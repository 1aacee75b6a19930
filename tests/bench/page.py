# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""BENCH.md as a head and its sections, each after a mark with its name, so that single sections can be measured again.

The hand-written part is also a section, which nothing measures: it stays in place, as do all sections that are not measured again.
"""

import re

MARK = "<!-- section: {} -->"
MARKS = re.compile(r"^<!-- section: (\S+) -->\n", re.M)


class Page:
    """sections: {name: text}, in the order of the page. A name that occurs twice is refused: one of its texts would be lost."""

    def __init__(self, text=""):
        self.head, *rest = (part.strip("\n") for part in MARKS.split(text))
        names, texts = rest[0::2], rest[1::2]
        if len(set(names)) < len(names):
            raise SystemExit(f"bench: a section is there twice: {', '.join(names)}")
        self.sections = dict(zip(names, texts))

    def renew(self, name, text, order):
        """Replaces the section of that name; a new one goes after the last one that precedes it in order."""
        if name in self.sections:
            self.sections[name] = text
            return
        before = set(order[:order.index(name)])
        old = list(self.sections.items())
        place = max((number + 1 for number, (other, _) in enumerate(old) if other in before), default=0)
        self.sections = dict([*old[:place], (name, text), *old[place:]])

    def text(self):
        return "\n\n".join([self.head, *(MARK.format(name) + "\n" + text for name, text in self.sections.items())]) + "\n"
