#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""objects_of.py REPORT TRACE COMM CALL PATTERN [OTHERS]: prints the number of a comm's waits in a call, how many of
their objects have a name that matches, and how many have none. Waits whose object's name matches OTHERS do not
count."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import rows as rows_of

report, trace, comm, call, pattern, *others = sys.argv[1:]
waits = rows_of.read(report, trace, "--throughout", "--source", "offcpu", "-c", comm)
waits = [wait for wait in waits if wait.get("call") == call and wait["class"] == "blocked" and wait["state"] != "t"]
names = [wait.get("object_name") for wait in waits]
names = [name for name in names if not name or not any(re.search(other, name) for other in others)]
print(len(names), sum(1 for name in names if name and re.search(pattern, name)), sum(1 for name in names if not name))
