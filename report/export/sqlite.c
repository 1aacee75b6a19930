/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * --export sqlite: every event, and all that it refers to, as a database. The sqlite library writes it to the output
 * file, which is the only file that it can access.
 */
#include "report/export/sqlite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "report/profile/profile.h"
#include "report/profile/profile_account.h"
#include "report/view/page.h"
#include "report/view/view.h"

/* Times are ns of the recording's CLOCK_MONOTONIC; durations and weights are ns unless the source has another unit. */
static const char schema_tables[] =
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

static const char schema_views[] =
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

static const char schema_indices[] =
	"CREATE INDEX stacks_by_parent ON stacks (parent);"
	"CREATE INDEX stacks_by_function ON stacks (function) WHERE outermost;"
	"CREATE INDEX tasks_by_tid ON tasks (tid);"
	"CREATE INDEX samples_by_task ON samples (task);"
	"CREATE INDEX waits_by_task ON waits (task);"
	"CREATE INDEX wakes_by_task ON wakes (task);";

/* --- rows --- */

void sqlite_add_row(struct sqlite_export *job, enum sqlite_table table, const struct sqlite_value *values, size_t count)
{
#define TABLE_NAME(name) #name,
	static const char *const names[TABLES] = {SQLITE_TABLES(TABLE_NAME)};
	struct database_query **insert = &job->inserts[table];

	if (!job->error && !*insert)
		job->error = database_insert_create(job->database, names[table], (int)count, insert);
	if (job->error)
		return;
	for (size_t i = 0; i < count; i++) {
		if (values[i].kind == SQLITE_WORD)
			database_word(*insert, values[i].text);
		else if (values[i].kind == SQLITE_TEXT)
			database_text(*insert, values[i].text);
		else if (values[i].known)
			database_number(*insert, values[i].number);
		else
			database_nothing(*insert);
	}
	job->error = database_row(*insert);
}

/* Nothing for an empty text. */
static struct sqlite_value known_text(const char *text)
{
	return TEXT(*text ? text : NULL);
}

/* --- where it comes from, and tasks --- */

/* Filters and notes are printable already. */
static void write_about(struct sqlite_export *job)
{
	const char *filters = job->context->settings->filters;
	struct profile_account account;

	profile_account(job->profile, &account);
	if (filters && filters[0])
		SQLITE_ROW(job, about, WORD("filters"), WORD(filters));
	for (size_t i = 0; i < account.count; i++)
		SQLITE_ROW(job, about, WORD("note"), WORD(account.notes[i].text));
}

/* Hosts are numbered in the order in which they first appear among the recordings. */
static void write_hosts(struct sqlite_export *job)
{
	const struct waits *waits = &job->reader.waits;

	for (size_t i = 0; i < waits->recording_count; i++) {
		struct profile_origin origin;
		bool again = false;

		for (size_t k = 0; k < i; k++)
			again |= waits->recordings[k].host == waits->recordings[i].host;
		if (again)
			continue;
		profile_origin(job->profile, i, &origin);
		SQLITE_ROW(job, hosts, NUMBER(waits->recordings[i].host), known_text(origin.host));
	}
}

static void write_recordings(struct sqlite_export *job)
{
	const struct waits *waits = &job->reader.waits;

	for (uint32_t i = 0; i < waits->recording_count; i++) {
		const struct profile_recording *recording = &waits->recordings[i];
		uint64_t realtime = profile_realtime(job->profile, i, recording->start), since, until;
		struct profile_origin origin;

		profile_origin(job->profile, i, &origin);
		profile_recording_part(job->profile, i, &since, &until);
		SQLITE_ROW(job, recordings, NUMBER(i), NUMBER(recording->host), known_text(origin.kernel),
			   known_text(origin.machine), KNOWN(origin.cpus != 0, origin.cpus), NUMBER(recording->start),
			   NUMBER(recording->stop), KNOWN(realtime != 0, realtime), NUMBER(since), NUMBER(until),
			   NUMBER(recording->least_wait));
	}
}

static void write_sources(struct sqlite_export *job)
{
	const struct profile_source *sources;
	size_t count = profile_sources(job->profile, &sources);

	for (uint32_t i = 0; i < count; i++)
		if (!sources[i].left_out)
			SQLITE_ROW(job, sources, NUMBER(i), WORD(page_kind_name(sources[i].kind)), TEXT(sources[i].name),
				   TEXT(sources[i].weight_unit), KNOWN(sources[i].frequency != 0, sources[i].frequency),
				   NUMBER(sources[i].samples), NUMBER(page_total(&sources[i])), NUMBER(sources[i].duration));
}

static void write_probes(struct sqlite_export *job)
{
	const struct event_reader *reader = &job->reader;

	for (uint32_t i = 0; i < reader->probe_count; i++) {
		const struct profile_probe *probe = &reader->probes[i];

		if (!reader->sources[probe->source].left_out)
			SQLITE_ROW(job, probes, NUMBER(i), NUMBER(probe->source), TEXT(probe->name), NUMBER(probe->samples),
				   KNOWN(probe->counted, probe->hits), KNOWN(probe->counted, probe->skipped),
				   KNOWN(probe->counted, probe->missed));
	}
}

static void write_tasks(struct sqlite_export *job)
{
	for (uint32_t i = 0; i < job->reader.task_count; i++) {
		const struct profile_task *task = &job->reader.waits.tasks[i];
		const struct profile_cgroup *cgroup = task->cgroup;

		if (job->tasks[i])
			SQLITE_ROW(job, tasks, NUMBER(i), NUMBER(task->host), NUMBER(task->tgid), NUMBER(task->tid),
				   TEXT(task->comm), KNOWN(task->start != 0, task->start), NUMBER(task->kernel_thread),
				   known_text(profile_cgroup_path(cgroup)), known_text(profile_container(cgroup)),
				   known_text(cgroup ? cgroup->id : ""));
	}
}

/* --- the export --- */

static void finish_inserts(struct sqlite_export *job)
{
	for (size_t i = 0; i < TABLES; i++) {
		database_query_destroy(job->inserts[i]);
		job->inserts[i] = NULL;
	}
}

static void export_deinit(struct sqlite_export *job)
{
	finish_inserts(job);
	database_destroy(job->database);
	free(job->order.wanted);
	free(job->order.number);
	free(job->order.node);
	free(job->order.last);
	free(job->tasks);
	free(job->objects);
}

static int export_init(struct sqlite_export *job, const struct view_context *context)
{
	struct stack_order *order = &job->order;
	int r;

	*job = (struct sqlite_export){.context = context, .profile = context->profile};
	r = event_reader_init(&job->reader, context->profile);
	if (r < 0)
		return r;
	for (size_t i = 0; i < job->reader.source_count; i++)
		job->wakes |= job->reader.sources[i].kind == PROFILE_WAKERS && !job->reader.sources[i].left_out;
	order->nodes = profile_nodes(context->profile, &order->node_count);
	order->wanted = calloc(order->node_count + 1, sizeof(*order->wanted));
	order->number = calloc(order->node_count + 1, sizeof(*order->number));
	job->tasks = calloc(job->reader.task_count + 1, sizeof(*job->tasks));
	job->objects = calloc(profile_objects(context->profile, &(const struct profile_object *){NULL}) + 1,
			      sizeof(*job->objects));
	return order->wanted && order->number && job->tasks && job->objects ? 0 : -ENOMEM;
}

/* Only sqlite writes to the stream's file. */
static void open_database(struct sqlite_export *job)
{
	job->error = database_create(fileno(job->context->out), &job->database);
	if (!job->error)
		job->error = database_run(job->database, schema_tables);
}

static void finish(struct sqlite_export *job)
{
	finish_inserts(job);
	job->error = database_run(job->database, schema_indices);
	if (!job->error)
		job->error = database_run(job->database, schema_views);
	if (!job->error)
		job->error = database_finish(job->database);
}

static int show_sqlite(const struct view_context *context)
{
	static void (*const steps[])(struct sqlite_export *) = {
		sqlite_events_mark, sqlite_walks_mark, sqlite_stacks_number, open_database, write_about, write_hosts,
		write_recordings, write_sources, write_probes, write_tasks, sqlite_walks_write, sqlite_stacks_write,
		sqlite_events_write, finish};
	_cleanup_(export_deinit) struct sqlite_export job;

	job.error = export_init(&job, context);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !job.error; i++)
		steps[i](&job);
	if (job.error && job.error != -ENOMEM && job.error != -EBADMSG)
		return log_error(-job.error, "cannot write the database: %s", strerror(-job.error));
	return job.error;
}

const struct view sqlite_view = {
	VIEW_NAME("export sqlite"),
	.print_all = show_sqlite, .kinds = VIEW_ANY_KIND, .needs = PROFILE_EACH_EVENT, .bare = true,
	.exports = true, .binary = true, .needs_file = true,
};
