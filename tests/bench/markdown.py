# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""BENCH.md: headings, text and tables, with the raw figures beside it as JSON."""

import json
import textwrap

import settings


def verdict(met, by=""):
    return "yes" if met else ("no" + (f": {by}" if by else ""))


class Table:
    def __init__(self, *columns):
        self.rows = [columns]

    def row(self, *cells):
        self.rows.append(tuple(str(cell) for cell in cells))

    def lines(self):
        head, *rest = self.rows
        return ["| " + " | ".join(row) + " |" for row in (head, ("---",) * len(head), *rest)]


class Report:
    def __init__(self):
        self.parts = []
        settings.OUT.mkdir(parents=True, exist_ok=True)

    def heading(self, title, level=2):
        self.parts.append("#" * level + " " + title)

    def text(self, sentence):
        self.parts.append(textwrap.fill(sentence, 100))

    def table(self, table):
        self.parts.append("\n".join(table.lines()))

    def keep(self, name, figures):
        """Every single measurement, for anyone who doubts the medians."""
        (settings.OUT / f"{name}.json").write_text(json.dumps(figures, indent=1) + "\n")

    def all(self):
        return "\n\n".join(self.parts)
