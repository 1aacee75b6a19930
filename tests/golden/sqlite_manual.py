# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""sqlite_manual.py PAGE REPORT SCRATCH: each query of the manual gives the rows in its comments, for the sample that
the page mentions; and the page has the columns of the database's tables and views."""
import re
import sqlite3
import subprocess
import sys

page, report, scratch = open(sys.argv[1], encoding="utf-8").read(), sys.argv[2], sys.argv[3]


def database(sample):
    path = f"{scratch}/manual_{sample}.sqlite"
    subprocess.run([report, "--no-local-files", "--no-cache", "--export", "sqlite", f"samples/{sample}/trace.rwk",
                    "-o", path, "--force"], stderr=subprocess.DEVNULL, check=True)
    return sqlite3.connect(path)


def answer(base, query):
    rows = base.execute(query).fetchall()
    return ["-- " + "|".join("" if value is None else str(value) for value in row) for row in rows]


queries = re.findall(r'^\.\\" of (\w+)\n\.Bd -literal\n(.*?)^\.Ed$', page, re.M | re.S)
print("ok queries" if queries else "not ok queries - there are none")
for number, (sample, text) in enumerate(queries, 1):
    wanted = [line for line in text.splitlines() if line.startswith("-- ")]
    found = answer(database(sample), text)
    if wanted and found[:len(wanted)] == wanted:
        print(f"ok query_{number}")
    else:
        print(f"not ok query_{number} - {found[:1]}, not {wanted[:1]}")
described = {name: columns.replace(" ", "").split(",")
             for name, columns in re.findall(r"^\.It Sy (\w+) Pq (.*)$", page, re.M)}
base = database("waits")
for name, in base.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite%'"):
    columns = [row[0] for row in base.execute(f"SELECT * FROM {name} LIMIT 0").description]
    if columns != described.pop(name, None):
        print(f"not ok columns_of_{name} - the page does not have {', '.join(columns)}")
print("ok columns" if not described else f"not ok columns - the database has no {', '.join(described)}")
