# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Shared by the checkers: verdicts, and running the checks named on the command line."""
import collections
import re
import sys


class Judge:
    def __init__(self, report, path):
        self.report, self.path = report, path
        self.shown = collections.Counter()

    def verdict(self, good, what, why=""):
        """Shows the first ten of many failures of one kind; the others are counted at the end."""
        kind = re.sub(r"[0-9]+", "N", what)
        good = bool(good)
        self.shown[kind, good] += 1
        if good or self.shown[kind, good] <= 10:
            print("yes " + what if good else "no %s: %s" % (what, why))
        return good

    def equal(self, what, got, want):
        return self.verdict(got == want, what, "%s, expected %s" % (got, want))

    def finish(self):
        for (kind, good), count in self.shown.items():
            if not good and count > 10:
                print("# %d more like '%s'" % (count - 10, kind))
        if not self.shown:
            print("no anything: the workload told nothing that could be checked")


def run(judge, functions):
    """The function check_some_thing(judge, argument) is the check some-thing:ARGUMENT."""
    for word in sys.argv[4:]:
        name, _, argument = word.partition(":")
        functions["check_" + name.replace("-", "_")](judge, argument)
    judge.finish()
