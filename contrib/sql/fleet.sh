#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# fleet.sh DATABASE TRACE...: puts each trace into one SQLite database, which the queries of this folder read: with the
# tables recordings, stacks, functions and waits. A trace that is there already is left alone, so that traces can be
# added day by day. The name of a trace's file must be its own: HOST-DATE.rwk, say.
set -eu
(($# > 1)) || { echo "usage: ${0##*/} DATABASE TRACE..." >&2; exit 2; }
report=${REPORTER:-rwalker-report}
fleet=$1
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

sqlite3 "$fleet" <<-'END'
	CREATE TABLE IF NOT EXISTS recordings (file TEXT PRIMARY KEY, host TEXT, kernel TEXT, cpus INTEGER, day TEXT, seconds REAL);
	CREATE TABLE IF NOT EXISTS stacks (file TEXT, source TEXT, name TEXT, unit TEXT, comm TEXT, pid INTEGER, cgroup TEXT,
	  container TEXT, events INTEGER, weight INTEGER, leaf TEXT, stack TEXT);
	CREATE TABLE IF NOT EXISTS functions (file TEXT, source TEXT, function TEXT, own INTEGER, total INTEGER);
	CREATE TABLE IF NOT EXISTS waits (file TEXT, comm TEXT, pid INTEGER, tid INTEGER, offset_ns INTEGER, length_ns INTEGER,
	  blocked_ns INTEGER, run_queue_ns INTEGER, class TEXT, state TEXT, what_for TEXT, waker_context TEXT, waker_comm TEXT,
	  waker_tid INTEGER, leaf TEXT);
END

# copy NAME: the first recording of a trace, and all its events.
copy()
{
	sqlite3 -bail -cmd "ATTACH '$scratch/trace' AS t" -cmd ".parameter set @file '\"${1//\'/\'\'}\"'" "$fleet" <<-'END'
		BEGIN;
		INSERT INTO recordings SELECT @file, h.name, kernel, cpus, date(realtime / 1000000000, 'unixepoch'), (stop - start) / 1e9
		  FROM t.recordings r JOIN t.hosts h ON h.id = r.host ORDER BY r.id LIMIT 1;
		CREATE TEMP TABLE texts (stack INTEGER PRIMARY KEY, text TEXT);
		INSERT INTO texts SELECT stack, text FROM t.stack_list;
		INSERT INTO main.stacks SELECT @file, c.kind, c.name, c.unit, comm, pid, cgroup, container, count(*), sum(x.weight), f.name, text
		  FROM (SELECT source, task, stack, weight FROM t.samples UNION ALL
		    SELECT (SELECT id FROM t.sources WHERE kind = 'offcpu'), task, stack, weight FROM t.waits) x
		  JOIN t.sources c ON c.id = x.source JOIN t.tasks k ON k.id = x.task JOIN texts USING (stack)
		  JOIN t.stacks s ON s.id = x.stack JOIN t.functions f ON f.id = s.function
		  GROUP BY c.id, comm, pid, cgroup, container, f.id, text;
		INSERT INTO main.functions SELECT @file, kind, function, sum(self), sum(total) FROM t.function_list GROUP BY kind, function;
		INSERT INTO main.waits SELECT @file, k.comm, k.pid, k.tid, w.start - r.start, w.stop - w.start, w.stop - w.start - run_queue, run_queue,
		    class, state, what_for, context, o.comm, o.tid, f.name
		  FROM t.waits w JOIN t.tasks k ON k.id = w.task JOIN t.recordings r ON r.id = w.recording JOIN t.stacks s ON s.id = w.stack
		  JOIN t.functions f ON f.id = s.function LEFT JOIN t.wakes a ON a.id = w.id LEFT JOIN t.tasks o ON o.id = a.task;
		COMMIT;
	END
}

for trace; do
	name=${trace##*/}
	name=${name%.rwk}
	[[ ! $(sqlite3 -cmd ".parameter set @file '\"${name//\'/\'\'}\"'" "$fleet" 'SELECT 1 FROM recordings WHERE file = @file') ]] || continue
	"$report" --export sqlite "$trace" -o "$scratch/trace" --force || [[ $? = 3 ]] # 3: it lacks events, which its report says
	copy "$name"
done
