# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Medians and their confidence intervals.

The interval of a median is derived from order statistics: it runs from the k-th smallest
to the k-th largest value, with the largest k for which the binomial distribution gives at
least 95 %. It assumes nothing about the shape of the noise. With fewer than six values
no such interval reaches 95 %; then the whole range is used, and its coverage is printed.
"""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Estimate:
    median: float
    low: float
    high: float
    count: int
    coverage: float

    def text(self, digits=3):
        short = "" if self.coverage >= 0.95 else f" ({self.coverage:.0%})"
        return f"{self.median:.{digits}f} [{self.low:.{digits}f}, {self.high:.{digits}f}]{short}"


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def coverage_of(count, k):
    """How often the median lies between the k-th smallest and the k-th largest of count."""
    tail = sum(math.comb(count, i) for i in range(k)) / 2 ** count
    return 1 - 2 * tail


def estimate(values):
    ordered = sorted(values)
    count = len(ordered)
    k = 1
    while 2 * (k + 1) <= count and coverage_of(count, k + 1) >= 0.95:
        k += 1
    return Estimate(median(ordered), ordered[k - 1], ordered[count - k], count,
                    max(0.0, coverage_of(count, k)))


def ratios(values, anchors):
    """Paired by round, so noise that lasts longer than a round cancels out."""
    return [a / b for a, b in zip(values, anchors)]
