/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "report/view/sqlite/sqlite_export.h"
#include "report/view/sqlite/sqlite_schema.h"

/*
 * --export sqlite: every event, and all that it refers to, as a database. The sqlite library writes it to the output
 * file, which is the only file that it can access.
 */

static void export_deinit(struct sqlite_export *job)
{
	database_destroy(job->database);
	stack_order_deinit(&job->order);
	free(job->tasks);
	free(job->objects);
}

static int export_init(struct sqlite_export *job, const struct view_context *context)
{
	int r;

	*job = (struct sqlite_export){.context = context, .profile = context->profile};
	r = event_reader_init(&job->reader, context->profile);
	if (!r)
		r = stack_order_init(&job->order, context->profile);
	if (r < 0)
		return r;
	job->tasks = calloc(job->reader.task_count + 1, sizeof(*job->tasks));
	for (size_t i = 0; i < job->reader.source_count; i++)
		job->wakes |= job->reader.sources[i].kind == PROFILE_WAKERS &&
				 !job->reader.sources[i].left_out;
	job->objects = calloc(profile_objects(context->profile, &(const struct profile_object *){NULL}) + 1,
			      sizeof(*job->objects));
	return job->tasks && job->objects ? 0 : -ENOMEM;
}

static int number_stacks(struct sqlite_export *job)
{
	return stack_order_number(&job->order);
}

/* Only sqlite writes to the stream's file. */
static int open_database(struct sqlite_export *job)
{
	int r = database_create(fileno(job->context->out), &job->database);

	return r < 0 ? r : database_run(job->database, sqlite_schema_tables);
}

static int finish(struct sqlite_export *job)
{
	int r = database_run(job->database, sqlite_schema_indices);

	if (!r)
		r = database_run(job->database, sqlite_schema_views);
	return r < 0 ? r : database_finish(job->database);
}

static int write_all(struct sqlite_export *job)
{
	static sqlite_step *const steps[] = {
		sqlite_events_mark, sqlite_walks_mark, number_stacks, open_database, sqlite_origins_write,
		sqlite_walks_write, sqlite_stacks_write, sqlite_events_write, finish};
	int r = 0;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !r; i++)
		r = steps[i](job);
	return r;
}

static int show_sqlite(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	_cleanup_(export_deinit) struct sqlite_export job;
	int r = export_init(&job, context);

	(void)number;
	(void)source;
	if (!r)
		r = write_all(&job);
	if (r < 0 && r != -ENOMEM && r != -EBADMSG)
		return log_error(-r, "cannot write the database: %s", strerror(-r));
	return r;
}

const struct view sqlite_view = {
	VIEW_NAME("export sqlite"),
	.print = show_sqlite, .kinds = VIEW_ANY_KIND, .needs = PROFILE_EACH_EVENT, .bare = true, .merged = true,
	.exports = true, .binary = true, .needs_file = true,
};
