/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/sqlite/sqlite_export.h"

#include <errno.h>

#include "common/cleanup.h"
#include "report/view/look/wait_index.h"

enum { WALK_COLUMNS = 7, WALKED_COLUMNS = 13, BRIEF_COLUMNS = 7, RUNNING_COLUMNS = 5 };

static int mark_walked(struct sqlite_export *job)
{
	const struct profile_walk_task *rows;
	size_t count = profile_walk_tasks(job->profile, &rows);
	int r = 0;

	for (size_t i = 0; i < count && !r; i++) {
		if (rows[i].task >= job->reader.task_count)
			return -EBADMSG;
		job->tasks[rows[i].task] = true;
		job->objects[rows[i].object] = true;
		if (rows[i].held & HELD_BY_OWNER)
			job->tasks[rows[i].owner] = true;
		r = stack_order_want(&job->order, job->profile, rows[i].node);
	}
	return r;
}

int sqlite_walks_mark(struct sqlite_export *job)
{
	const struct profile_task_sums *sums;
	size_t count = profile_task_sums(job->profile, &sums);

	for (size_t i = 0; i < count; i++) {
		if (sums[i].task >= job->reader.task_count)
			return -EBADMSG;
		if (!sums[i].unasked)
			job->tasks[sums[i].task] = true;
	}
	return mark_walked(job);
}

static int write_walks(struct sqlite_export *job)
{
	_cleanup_insert_ struct database_query *insert = NULL;
	const struct profile_walk *walks;
	size_t count = profile_walks(job->profile, &walks);
	int r = database_insert_create(job->database, "walks", WALK_COLUMNS, &insert);

	for (size_t i = 0; i < count && !r; i++) {
		database_number(insert, i);
		database_number(insert, walks[i].host);
		database_number(insert, walks[i].number);
		database_number(insert, walks[i].time);
		database_known(insert, walks[i].realtime != 0, walks[i].realtime);
		database_number(insert, walks[i].seen);
		database_number(insert, walks[i].kept);
		r = database_row(insert);
	}
	return r;
}

static const char *bound_of(enum wait_bound bound)
{
	static const char *const texts[] = {[WAIT_EXACT] = "=", [WAIT_AT_LEAST] = ">="};

	return bound < sizeof(texts) / sizeof(texts[0]) ? texts[bound] : NULL;
}

static int write_purpose(const struct sqlite_export *job, struct database_query *insert,
			  const struct profile_walk_task *row)
{
	const struct profile_operation *operations = job->reader.waits.operations;
	const struct profile_wait wait = profile_walk_wait(row);

	database_text(insert, row->operation ? operations[row->operation].name : NULL);
	database_known(insert, row->object != 0, row->object);
	database_known(insert, row->held & HELD_BY_OWNER, row->owner);
	return sqlite_write_what_for(job, insert, &wait);
}

static int write_walked(struct sqlite_export *job)
{
	_cleanup_insert_ struct database_query *insert = NULL;
	const struct profile_walk_task *rows;
	size_t count = profile_walk_tasks(job->profile, &rows);
	int r = database_insert_create(job->database, "walked", WALKED_COLUMNS, &insert);

	for (size_t i = 0; i < count && !r; i++) {
		const struct profile_walk_task *row = &rows[i];

		database_number(insert, row->walk);
		database_number(insert, row->task);
		database_number(insert, job->order.number[row->node]);
		database_text(insert, row->state);
		database_known(insert, row->bound != WAIT_NONE, row->wait);
		database_word(insert, bound_of(row->bound));
		database_known(insert, row->cpu < PROFILE_NO_CPU, row->cpu);
		database_number(insert, row->on_cpu);
		database_number(insert, row->iowait);
		r = write_purpose(job, insert, row);
	}
	return r;
}

static int write_brief(struct database_query *insert, const struct profile_task_sums *sums)
{
	static const char *const kinds[WAIT_SUM_KINDS] = {WAIT_SUM_LIST(KIND_TEXT)};
	int r = 0;

	for (size_t i = 0; i < WAIT_SUM_KINDS && !r; i++) {
		if (!sums->kinds[i].count)
			continue;
		database_number(insert, sums->recording);
		database_number(insert, sums->task);
		database_word(insert, kinds[i]);
		database_number(insert, sums->kinds[i].count);
		database_number(insert, sums->kinds[i].total);
		database_number(insert, sums->kinds[i].run_queue);
		database_number(insert, sums->kinds[i].throttled);
		r = database_row(insert);
	}
	return r;
}

static int write_running(struct database_query *insert, const struct profile_task_sums *sums,
			 const struct wait_index *index)
{
	database_number(insert, sums->recording);
	database_number(insert, sums->task);
	database_number(insert, sums->from);
	database_number(insert, wait_index_known_until(index, sums));
	database_number(insert, wait_index_running(index, sums));
	return database_row(insert);
}

static int write_sums(struct sqlite_export *job)
{
	_cleanup_insert_ struct database_query *brief = NULL, *running = NULL;
	_cleanup_(wait_index_deinit) struct wait_index index = {0};
	const struct profile_task_sums *sums;
	size_t count = profile_task_sums(job->profile, &sums);
	int r = database_insert_create(job->database, "brief_waits", BRIEF_COLUMNS, &brief);

	if (!r)
		r = database_insert_create(job->database, "running", RUNNING_COLUMNS, &running);
	if (!r)
		r = wait_index_init(&index, &job->reader.waits);
	for (size_t i = 0; i < count && !r; i++) {
		if (sums[i].unasked)
			continue;
		r = write_brief(brief, &sums[i]);
		if (!r)
			r = write_running(running, &sums[i], &index);
	}
	return r;
}

int sqlite_walks_write(struct sqlite_export *job)
{
	int r = write_walks(job);

	if (!r)
		r = write_walked(job);
	return r < 0 ? r : write_sums(job);
}
