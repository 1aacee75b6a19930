/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/sqlite/sqlite_schema.h"

/* Times are ns of the recording's CLOCK_MONOTONIC; durations and weights are ns unless the source has another unit. */
const char sqlite_schema_tables[] =
	"PRAGMA user_version = 1;"
	"CREATE TABLE about (key TEXT NOT NULL, value TEXT);"
	"CREATE TABLE hosts (id INTEGER PRIMARY KEY, name TEXT);"
	"CREATE TABLE recordings (id INTEGER PRIMARY KEY, host INTEGER REFERENCES hosts, kernel TEXT, machine TEXT,"
	" cpus INTEGER, start INTEGER, stop INTEGER, realtime INTEGER, since INTEGER, until INTEGER,"
	" least_wait INTEGER);"
	"CREATE TABLE sources (id INTEGER PRIMARY KEY, kind TEXT, name TEXT, unit TEXT, frequency INTEGER,"
	" samples INTEGER, weight INTEGER, duration INTEGER);"
	"CREATE TABLE probes (id INTEGER PRIMARY KEY, source INTEGER REFERENCES sources, name TEXT, samples INTEGER,"
	" hits INTEGER, skipped INTEGER, missed INTEGER);"
	"CREATE TABLE tasks (id INTEGER PRIMARY KEY, host INTEGER REFERENCES hosts, pid INTEGER, tid INTEGER,"
	" comm TEXT, start INTEGER, kernel_thread INTEGER, cgroup TEXT, container TEXT, container_id TEXT);"
	"CREATE TABLE modules (id INTEGER PRIMARY KEY, name TEXT, path TEXT, build_id TEXT, kernel INTEGER);"
	"CREATE TABLE functions (id INTEGER PRIMARY KEY, name TEXT, module TEXT, inlined INTEGER);"
	"CREATE TABLE frames (id INTEGER PRIMARY KEY, function INTEGER REFERENCES functions,"
	" module INTEGER REFERENCES modules, address INTEGER, file TEXT, line INTEGER, kernel INTEGER,"
	" caller INTEGER, inline_depth INTEGER);"
	"CREATE TABLE stacks (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES stacks, last INTEGER, depth INTEGER,"
	" frame INTEGER REFERENCES frames, function INTEGER REFERENCES functions, outermost INTEGER);"
	"CREATE TABLE sums (stack INTEGER REFERENCES stacks, source INTEGER REFERENCES sources, samples INTEGER,"
	" weight INTEGER, PRIMARY KEY (stack, source)) WITHOUT ROWID;"
	"CREATE TABLE samples (id INTEGER PRIMARY KEY, recording INTEGER REFERENCES recordings,"
	" source INTEGER REFERENCES sources, probe INTEGER REFERENCES probes, task INTEGER REFERENCES tasks,"
	" stack INTEGER REFERENCES stacks, time INTEGER, cpu INTEGER, weight INTEGER);"
	"CREATE TABLE waits (id INTEGER PRIMARY KEY, recording INTEGER REFERENCES recordings,"
	" task INTEGER REFERENCES tasks, stack INTEGER REFERENCES stacks, start INTEGER, stop INTEGER,"
	" run_queue INTEGER, weight INTEGER, class TEXT, state TEXT, bound TEXT, open INTEGER, iowait INTEGER,"
	" out_cpu INTEGER, in_cpu INTEGER, call TEXT, object INTEGER REFERENCES objects, what_for TEXT);"
	"CREATE TABLE objects (id INTEGER PRIMARY KEY, kind TEXT, text TEXT, name TEXT);"
	"CREATE TABLE wakes (id INTEGER PRIMARY KEY, recording INTEGER REFERENCES recordings,"
	" sleeper INTEGER REFERENCES tasks, task INTEGER REFERENCES tasks, context TEXT,"
	" stack INTEGER REFERENCES stacks, time INTEGER, weight INTEGER);"
	"CREATE TABLE brief_waits (recording INTEGER REFERENCES recordings, task INTEGER REFERENCES tasks, kind TEXT,"
	" count INTEGER, total INTEGER, run_queue INTEGER, throttled INTEGER);"
	"CREATE TABLE running (recording INTEGER REFERENCES recordings, task INTEGER REFERENCES tasks,"
	" since INTEGER, until INTEGER, running INTEGER);"
	"CREATE TABLE walks (id INTEGER PRIMARY KEY, host INTEGER REFERENCES hosts, number INTEGER, time INTEGER,"
	" realtime INTEGER, seen INTEGER, kept INTEGER);"
	"CREATE TABLE walked (walk INTEGER REFERENCES walks, task INTEGER REFERENCES tasks,"
	" stack INTEGER REFERENCES stacks, state TEXT, wait INTEGER, bound TEXT, cpu INTEGER, on_cpu INTEGER,"
	" iowait INTEGER, call TEXT, object INTEGER REFERENCES objects, owner INTEGER REFERENCES tasks,"
	" what_for TEXT);";

/* An event's time in seconds since its recording began; durations in ms. */
#define SECONDS(time) "(" time " - r.start) / 1e9"
#define TASK_NAMES "h.name AS host, t.comm, t.pid, t.tid"
#define JOIN_TASK(table, task) " JOIN tasks t ON t.id = " table "." task " JOIN hosts h ON h.id = t.host"
#define JOIN_LEAF(table) " JOIN stacks s ON s.id = " table ".stack LEFT JOIN functions f ON f.id = s.function"
#define JOIN_RECORDING(table) " JOIN recordings r ON r.id = " table ".recording"

const char sqlite_schema_views[] =
	"CREATE VIEW sample_list AS SELECT x.id, " TASK_NAMES ", " SECONDS("x.time") " AS seconds, c.kind,"
	" coalesce(p.name, c.name) AS source, x.cpu, x.weight, f.name AS leaf, f.module, x.stack, x.task, x.recording"
	" FROM samples x" JOIN_TASK("x", "task") JOIN_LEAF("x") JOIN_RECORDING("x")
	" JOIN sources c ON c.id = x.source LEFT JOIN probes p ON p.id = x.probe;"

	"CREATE VIEW wait_list AS SELECT w.id, " TASK_NAMES ", " SECONDS("w.start") " AS seconds,"
	" (w.stop - w.start) / 1e6 AS ms, w.run_queue / 1e6 AS run_queue_ms, w.weight / 1e6 AS weight_ms, w.class,"
	" w.state, w.bound, w.iowait, f.name AS leaf, k.context AS woken_in, kt.comm AS waker, kt.tid AS waker_tid,"
	" w.stack, k.stack AS waker_stack, w.task, k.task AS waker_task, w.recording"
	" FROM waits w" JOIN_TASK("w", "task") JOIN_LEAF("w") JOIN_RECORDING("w")
	" LEFT JOIN wakes k ON k.id = w.id LEFT JOIN tasks kt ON kt.id = k.task;"

	"CREATE VIEW function_list AS SELECT c.kind, c.name AS source, f.name AS function, f.module, f.inlined,"
	" sum(CASE WHEN l.function = n.function THEN s.weight ELSE 0 END) AS self, sum(s.weight) AS total,"
	" sum(s.samples) AS samples, c.unit, n.function AS id, c.id AS source_id"
	" FROM stacks n JOIN sums s ON s.stack BETWEEN n.id AND n.last JOIN stacks l ON l.id = s.stack"
	" JOIN functions f ON f.id = n.function JOIN sources c ON c.id = s.source"
	" WHERE n.outermost GROUP BY c.id, f.id;"

	"CREATE VIEW stack_list AS WITH RECURSIVE path(id, text) AS (SELECT 0, '' UNION ALL"
	" SELECT s.id, p.text || CASE p.text WHEN '' THEN '' ELSE ';' END || replace(f.name, ';', ':')"
	" FROM path p JOIN stacks s ON s.parent = p.id JOIN functions f ON f.id = s.function)"
	" SELECT id AS stack, text FROM path;"

	/* Where each thread's time went, as in --summary: recorded waits and those that were only counted. */
	"CREATE VIEW thread_list AS WITH facts(task, wall, running, run_queue, blocked, letter, count) AS ("
	"SELECT n.task, max(n.until - max(n.since, r.start), 0), n.running, 0, 0, '', 0"
	" FROM running n JOIN recordings r ON r.id = n.recording UNION ALL"
	" SELECT task, 0, 0, min(run_queue, weight), weight - min(run_queue, weight),"
	" CASE class WHEN 'throttled' THEN class ELSE substr(state, 1, 1) END, 1 FROM waits"
	" UNION ALL SELECT task, 0, 0, min(run_queue, total), total - min(run_queue + throttled, total),"
	" CASE kind WHEN 'interruptible' THEN 'S' WHEN 'uninterruptible' THEN 'D' END, count FROM brief_waits"
	" UNION ALL SELECT task, 0, 0, 0, throttled, 'throttled', 0 FROM brief_waits WHERE throttled)"
	" SELECT h.name AS host, t.comm, t.pid, t.tid, max(x.task) AS task," /* comm is that of this task */
	" sum(wall) / 1e6 AS wall_ms, sum(running) / 1e6 AS running_ms, sum(run_queue) / 1e6 AS run_queue_ms,"
	" sum(CASE letter WHEN 'throttled' THEN blocked ELSE 0 END) / 1e6 AS throttled_ms,"
	" sum(CASE letter WHEN 'S' THEN blocked ELSE 0 END) / 1e6 AS blocked_s_ms,"
	" sum(CASE letter WHEN 'D' THEN blocked ELSE 0 END) / 1e6 AS blocked_d_ms,"
	" sum(CASE WHEN letter IN ('S', 'D', 'throttled') THEN 0 ELSE blocked END) / 1e6 AS other_ms,"
	" sum(count) AS waits"
	" FROM facts x JOIN tasks t ON t.id = x.task JOIN hosts h ON h.id = t.host"
	" GROUP BY t.host, t.tid, t.start;";

const char sqlite_schema_indices[] =
	"CREATE INDEX stacks_by_parent ON stacks (parent);"
	"CREATE INDEX stacks_by_function ON stacks (function) WHERE outermost;"
	"CREATE INDEX tasks_by_tid ON tasks (tid);"
	"CREATE INDEX samples_by_task ON samples (task);"
	"CREATE INDEX waits_by_task ON waits (task);"
	"CREATE INDEX wakes_by_task ON wakes (task);";
