#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""cases_check.py REPORT NOWHERE FOLDER...: FOLDER/cause has regular expressions, one per line, for the cause of the
trouble in the folder's trace, which its case.sh knows. The digest matches them all, and none of its first ten lines
mentions an idle thread: one that, according to --summary, never ran and never was in D.
"""
import os
import re
import subprocess
import sys

LINES = 10


def run(report, nowhere, trace, *options):
    done = subprocess.run([report, "--no-cache", "-q", "--symfs", nowhere, "--debug-dir", nowhere, *options, trace],
                          capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C.UTF-8"})
    return done.stdout.splitlines()


def idle_comms(summary):
    """Comms of which no thread ran, or waited in D."""
    head, busy, idle = None, set(), set()
    for line in summary:
        if re.match(r"# +wall  .*  thread$", line):
            head = re.split(r"\s{2,}", line.lstrip("# "))
        found = head and re.match(r"((?: +-?[\d.]+){%d})  (.*) tid \d+ pid \d+" % (len(head) - 1), line)
        if not found:
            continue
        figures = dict(zip(head, found[1].split()))
        (busy if float(figures["running"]) or float(figures["blocked D"]) else idle).add(found[2])
    return idle - busy, busy


def judge(report, nowhere, folder):
    trace = os.path.join(folder, "trace.rwk")
    digest = run(report, nowhere, trace, "--digest")
    with open(os.path.join(folder, "cause"), encoding="utf-8") as lines:
        causes = lines.read().splitlines()
    wrong = [f"'{cause}' is not in the digest" for cause in causes if not any(re.search(cause, line) for line in digest)]
    if not causes or not digest:
        wrong.append("there is nothing to judge")
    idle, busy = idle_comms(run(report, nowhere, trace, "--summary", "--idle"))
    text = "\n".join(digest[:LINES])
    wrong += [f"'{comm}' was idle" for comm in idle if re.search(rf"(?<![\w/]){re.escape(comm)}(?![\w/])", text)]
    print(f"not ok {folder} - {'; '.join(wrong)}" if wrong else
          f"ok {folder} ({len(causes)} causes named; {len(idle)} comms idle, {len(busy)} not)")
    return bool(wrong)


def main():
    report, nowhere, *folders = sys.argv[1:]
    folders = [folder for folder in folders if os.path.exists(os.path.join(folder, "trace.rwk"))]
    if len(folders) < 6:
        print(f"not ok cases - there are traces in {len(folders)} folders, and should be in 6 at least")
        sys.exit(1)
    sys.exit(any([judge(report, nowhere, folder) for folder in folders]))


main()
