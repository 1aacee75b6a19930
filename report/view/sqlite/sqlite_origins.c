/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/sqlite/sqlite_export.h"

#include <errno.h>

#include "common/cleanup.h"
#include "report/profile/seam/profile_account.h"
#include "report/profile/seam/profile_origin.h"
#include "report/view/sqlite/sqlite_schema.h"
#include "report/view/text/page.h"

enum { ABOUT_COLUMNS = 2, HOST_COLUMNS = 2, RECORDING_COLUMNS = 11, SOURCE_COLUMNS = 8, PROBE_COLUMNS = 7,
       TASK_COLUMNS = 10 };

static int write_about_row(struct database_query *insert, const char *key, const char *value)
{
	database_word(insert, key);
	database_word(insert, value);
	return database_row(insert);
}

/* Filters and notes are printable already. */
static int write_about(struct sqlite_export *job)
{
	_cleanup_insert_ struct database_query *insert = NULL;
	struct profile_account account;
	int r = database_insert_create(job->database, "about", ABOUT_COLUMNS, &insert);

	profile_account(job->profile, &account);
	if (!r && job->context->settings->filters && job->context->settings->filters[0])
		r = write_about_row(insert, "filters", job->context->settings->filters);
	for (size_t i = 0; i < account.count && !r; i++)
		r = write_about_row(insert, "note", account.notes[i].text);
	return r;
}

/* Hosts are numbered in the order in which they first appear among the recordings. */
static int write_hosts(struct sqlite_export *job)
{
	_cleanup_insert_ struct database_query *insert = NULL;
	const struct waits *waits = &job->reader.waits;
	int r = database_insert_create(job->database, "hosts", HOST_COLUMNS, &insert);

	for (size_t i = 0; i < waits->recording_count && !r; i++) {
		struct profile_origin origin;
		bool again = false;

		for (size_t k = 0; k < i; k++)
			again |= waits->recordings[k].host == waits->recordings[i].host;
		if (again)
			continue;
		profile_origin(job->profile, i, &origin);
		database_number(insert, waits->recordings[i].host);
		database_text(insert, origin.host[0] ? origin.host : NULL);
		r = database_row(insert);
	}
	return r;
}

static int write_recordings(struct sqlite_export *job)
{
	_cleanup_insert_ struct database_query *insert = NULL;
	const struct waits *waits = &job->reader.waits;
	int r = database_insert_create(job->database, "recordings", RECORDING_COLUMNS, &insert);

	for (uint32_t i = 0; i < waits->recording_count && !r; i++) {
		const struct profile_recording *recording = &waits->recordings[i];
		uint64_t realtime = profile_realtime(job->profile, i, recording->start), since, until;
		struct profile_origin origin;

		profile_origin(job->profile, i, &origin);
		profile_recording_part(job->profile, i, &since, &until);
		database_number(insert, i);
		database_number(insert, recording->host);
		database_text(insert, origin.kernel[0] ? origin.kernel : NULL);
		database_text(insert, origin.machine[0] ? origin.machine : NULL);
		database_known(insert, origin.cpus != 0, origin.cpus);
		database_number(insert, recording->start);
		database_number(insert, recording->stop);
		database_known(insert, realtime != 0, realtime);
		database_number(insert, since);
		database_number(insert, until);
		database_number(insert, recording->least_wait);
		r = database_row(insert);
	}
	return r;
}

static int write_sources(struct sqlite_export *job)
{
	_cleanup_insert_ struct database_query *insert = NULL;
	const struct profile_source *sources;
	size_t count = profile_sources(job->profile, &sources);
	int r = database_insert_create(job->database, "sources", SOURCE_COLUMNS, &insert);

	for (uint32_t i = 0; i < count && !r; i++) {
		if (sources[i].left_out)
			continue;
		database_number(insert, i);
		database_word(insert, page_kind_name(sources[i].kind));
		database_text(insert, sources[i].name);
		database_text(insert, sources[i].weight_unit);
		database_known(insert, sources[i].frequency != 0, sources[i].frequency);
		database_number(insert, sources[i].samples);
		database_number(insert, page_total(&sources[i]));
		database_number(insert, sources[i].duration);
		r = database_row(insert);
	}
	return r;
}

static int write_probes(struct sqlite_export *job)
{
	_cleanup_insert_ struct database_query *insert = NULL;
	const struct event_reader *reader = &job->reader;
	int r = database_insert_create(job->database, "probes", PROBE_COLUMNS, &insert);

	for (uint32_t i = 0; i < reader->probe_count && !r; i++) {
		const struct profile_probe *probe = &reader->probes[i];

		if (reader->sources[probe->source].left_out)
			continue;
		database_number(insert, i);
		database_number(insert, probe->source);
		database_text(insert, probe->name);
		database_number(insert, probe->samples);
		database_known(insert, probe->counted, probe->hits);
		database_known(insert, probe->counted, probe->skipped);
		database_known(insert, probe->counted, probe->missed);
		r = database_row(insert);
	}
	return r;
}

static void write_known(struct database_query *insert, const char *text)
{
	database_text(insert, *text ? text : NULL);
}

static void write_cgroup(struct database_query *insert, const struct profile_cgroup *cgroup)
{
	write_known(insert, profile_cgroup_path(cgroup));
	write_known(insert, profile_container(cgroup));
	write_known(insert, cgroup ? cgroup->id : "");
}

static int write_tasks(struct sqlite_export *job)
{
	_cleanup_insert_ struct database_query *insert = NULL;
	int r = database_insert_create(job->database, "tasks", TASK_COLUMNS, &insert);

	for (uint32_t i = 0; i < job->reader.task_count && !r; i++) {
		const struct profile_task *task = &job->reader.waits.tasks[i];

		if (!job->tasks[i])
			continue;
		database_number(insert, i);
		database_number(insert, task->host);
		database_number(insert, task->tgid);
		database_number(insert, task->tid);
		database_text(insert, task->comm);
		database_known(insert, task->start != 0, task->start);
		database_number(insert, task->kernel_thread);
		write_cgroup(insert, task->cgroup);
		r = database_row(insert);
	}
	return r;
}

int sqlite_origins_write(struct sqlite_export *job)
{
	static sqlite_step *const writers[] = {
		write_about, write_hosts, write_recordings, write_sources, write_probes, write_tasks};
	int r = 0;

	for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]) && !r; i++)
		r = writers[i](job);
	return r;
}
