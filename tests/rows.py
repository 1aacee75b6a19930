#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""rows.py REPORT TRACE [OPTION...]: the samples, wakeups, waits and walked tasks of a trace as lines of JSON, from
--export sqlite with these options. Times are ns since the recording began; a member that is not known is left out.
Also for import."""
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

TASK = "t.comm, t.pid, t.tid, t.cgroup, t.container, t.container_id"
WHERE = (" JOIN tasks t ON t.id = x.task JOIN stack_list s ON s.stack = x.stack JOIN recordings r ON r.id = x.recording"
         " JOIN hosts h ON h.id = r.host")
QUERIES = (
    f"SELECT c.kind AS source, coalesce(p.name, c.name) AS name, x.recording, x.time - r.start AS offset_ns, {TASK}, h.name AS host,"
    " x.cpu, x.weight, s.text AS stack"
    f" FROM samples x JOIN sources c ON c.id = x.source LEFT JOIN probes p ON p.id = x.probe{WHERE} ORDER BY x.id",
    f"SELECT 'wakers' AS source, 'wakeup' AS name, x.recording, x.time - r.start AS offset_ns, {TASK}, h.name AS host,"
    " x.weight, s.text AS stack, x.context AS waker_context, w.comm AS woken_comm, w.tid AS woken_tid"
    f" FROM wakes x JOIN tasks w ON w.id = x.sleeper{WHERE} ORDER BY x.time, x.id",
    f"SELECT 'offcpu' AS source, x.class AS name, x.recording, x.stop - r.start AS offset_ns, {TASK}, h.name AS host,"
    " x.in_cpu AS cpu, x.weight, s.text AS stack, x.start - r.start AS out_ns, x.stop - r.start AS in_ns,"
    " x.stop - x.start AS length_ns, x.stop - x.start - x.run_queue AS blocked_ns, x.run_queue AS run_queue_ns,"
    " r.realtime + x.stop - r.start AS realtime_ns, x.class, x.state, nullif(x.open, 0) AS open, x.call, o.kind AS object_kind,"
    " o.text AS object, o.name AS object_name, x.what_for, k.context AS waker_context, k.time - r.start AS wakeup_ns, kt.comm AS waker_comm, kt.tid AS waker_tid,"
    " (SELECT text FROM stack_list WHERE stack = k.stack) AS waker_stack"
    f" FROM waits x{WHERE} LEFT JOIN objects o ON o.id = x.object LEFT JOIN wakes k ON k.id = x.id"
    " LEFT JOIN tasks kt ON kt.id = k.task ORDER BY x.stop, x.id",
    f"SELECT c.kind AS source, c.name, w.number AS walk, {TASK}, h.name AS host, x.cpu, 1 AS weight, s.text AS stack,"
    " x.state, x.call, o.kind AS object_kind, o.text AS object, o.name AS object_name, x.what_for"
    " FROM walked x JOIN sources c ON c.kind = 'tasks' JOIN walks w ON w.id = x.walk JOIN tasks t ON t.id = x.task JOIN stack_list s ON s.stack = x.stack"
    " JOIN hosts h ON h.id = w.host LEFT JOIN objects o ON o.id = x.object")


def read(report, trace, *options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "base")
        done = subprocess.run([report, "--no-cache", "--export", "sqlite", "-o", path, *options, trace],
                              stderr=subprocess.PIPE, check=False)
        if done.returncode not in (0, 3):
            raise SystemExit(f"rows.py: exit {done.returncode}: {done.stderr.decode()[-300:]}")
        base = sqlite3.connect(path)
        base.row_factory = sqlite3.Row
        base.execute("CREATE TEMP TABLE texts (stack INTEGER PRIMARY KEY, text TEXT)")
        base.execute("INSERT INTO texts SELECT stack, text FROM stack_list")  # the view is slow
        return [{key: row[key] for key in row.keys() if row[key] is not None}
                for query in QUERIES for row in base.execute(query.replace("stack_list", "texts"))]


if __name__ == "__main__":
    for found in read(*sys.argv[1:]):
        print(json.dumps(found, ensure_ascii=False, separators=(",", ":")))
