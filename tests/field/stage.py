# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The driver's side of staged() in lib.sh: ready, go, done, over. Times are CLOCK_MONOTONIC ns, as in a trace."""
import os
import time

PATIENCE = 120


def now():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def wait_until(condition, what):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise SystemExit("gave up waiting until " + what)
        time.sleep(0.02)


class Stage:
    def __init__(self, folder):
        self.folder = folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def ready(self):
        """Returns once the recording is running."""
        with open(self.path("ready"), "w", encoding="ascii"):
            pass
        wait_until(lambda: os.path.exists(self.path("go")), "the recording begins")

    def done(self):
        with open(self.path("done"), "w", encoding="ascii"):
            pass

    def over(self):
        """Returns once the recording has ended, after done()."""
        wait_until(lambda: os.path.exists(self.path("over")), "the recording ends")
