#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""cases_check.py REPORT NOWHERE FOLDER...: FOLDER/cause has regular expressions, one per line, for the cause of the
trouble in the folder's trace, which its case.sh knows. The digest matches them all.
"""
import os
import re
import subprocess
import sys


def run(report, nowhere, trace, *options):
    done = subprocess.run([report, "--no-cache", "-q", "--symfs", nowhere, "--debug-dir", nowhere, *options, trace],
                          capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C.UTF-8"})
    return done.stdout.splitlines()


def judge(report, nowhere, folder):
    trace = os.path.join(folder, "trace.rwk")
    digest = run(report, nowhere, trace, "--digest")
    with open(os.path.join(folder, "cause"), encoding="utf-8") as lines:
        causes = lines.read().splitlines()
    wrong = [f"'{cause}' is not in the digest" for cause in causes if not any(re.search(cause, line) for line in digest)]
    if not causes or not digest:
        wrong.append("there is nothing to judge")
    print(f"not ok {folder} - {'; '.join(wrong)}" if wrong else
          f"ok {folder} ({len(causes)} causes named)")
    return bool(wrong)


def main():
    report, nowhere, *folders = sys.argv[1:]
    folders = [folder for folder in folders if os.path.exists(os.path.join(folder, "trace.rwk"))]
    if len(folders) < 6:
        print(f"not ok cases - there are traces in {len(folders)} folders, and should be in 6 at least")
        sys.exit(1)
    sys.exit(any([judge(report, nowhere, folder) for folder in folders]))


main()
