/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/export/event_rows.h"

#include <errno.h>

static void find_walks(struct event_rows *rows, struct profile *profile)
{
	rows->walk_source = UINT32_MAX;
	rows->walk_count = profile_walks(profile, &rows->walks);
	rows->walk_task_count = profile_walk_tasks(profile, &rows->walk_tasks);
	for (size_t i = 0; i < rows->reader.source_count; i++)
		if (rows->reader.sources[i].kind == PROFILE_TASKS && !rows->reader.sources[i].left_out)
			rows->walk_source = (uint32_t)i;
}

static void find_earliest(struct event_rows *rows, struct profile *profile)
{
	const struct waits *waits = &rows->reader.waits;
	bool all = true;

	for (size_t i = 0; i < waits->recording_count; i++) {
		uint64_t realtime = profile_realtime(profile, (uint32_t)i, waits->recordings[i].start);

		all &= realtime != 0;
		if (!rows->earliest || realtime < rows->earliest)
			rows->earliest = realtime;
	}
	if (!all)
		rows->earliest = 0;
}

int event_rows_init(struct event_rows *rows, struct profile *profile)
{
	int r;

	*rows = (struct event_rows){0};
	r = event_reader_init(&rows->reader, profile);
	if (r < 0)
		return r;
	find_walks(rows, profile);
	find_earliest(rows, profile);
	return 0;
}

void event_rows_rewind(struct event_rows *rows)
{
	event_reader_rewind(&rows->reader);
	rows->walked = 0;
}

/* The last recording of its host that had begun; if none had, the first one. */
static uint32_t recording_of_walk(const struct event_rows *rows, const struct profile_walk *walk)
{
	const struct waits *waits = &rows->reader.waits;
	uint32_t found = UINT32_MAX;

	for (uint32_t i = 0; i < waits->recording_count; i++)
		if (waits->recordings[i].host == walk->host &&
		    (found == UINT32_MAX || waits->recordings[i].start <= walk->time))
			found = i;
	return found;
}

static int next_walked(struct event_rows *rows, struct event_row *row)
{
	const struct profile_walk_task *walked;
	const struct profile_walk *walk;

	if (rows->walked == rows->walk_task_count || rows->walk_source == UINT32_MAX)
		return 0;
	walked = &rows->walk_tasks[rows->walked];
	if (walked->walk >= rows->walk_count || walked->task >= rows->reader.task_count ||
	    walked->node >= rows->reader.node_count)
		return -EBADMSG;
	walk = &rows->walks[walked->walk];
	*row = (struct event_row){
		.rows = rows,
		.walked = walked,
		.event = {.kind = PROFILE_EVENT_SAMPLE, .time = walk->time, .weight = 1,
			  .recording = recording_of_walk(rows, walk), .source = rows->walk_source,
			  .probe = PROFILE_NO_PROBE, .task = walked->task, .node = walked->node, .flags = walked->flags,
			  .cpu = walked->cpu < PROFILE_NO_CPU ? (uint16_t)walked->cpu : PROFILE_NO_CPU},
	};
	rows->walked++;
	return row->event.recording == UINT32_MAX ? -EBADMSG : 1;
}

int event_rows_next(struct event_rows *rows, struct event_row *ret_row)
{
	struct event_row row = {.rows = rows};
	int r = event_reader_next(&rows->reader, &row.event);

	if (!r)
		r = next_walked(rows, &row);
	if (r > 0)
		*ret_row = row;
	return r;
}

const struct profile_task *event_rows_task(const struct event_rows *rows, uint32_t task)
{
	return &rows->reader.waits.tasks[task];
}

const char *event_rows_host(const struct event_rows *rows, uint32_t recording)
{
	const struct waits *waits = &rows->reader.waits;

	return profile_host_name(waits->profile, waits->recordings[recording].host);
}

int64_t event_rows_offset(const struct event_rows *rows, uint32_t recording, uint64_t time)
{
	return (int64_t)(time - rows->reader.waits.recordings[recording].start);
}

int64_t event_rows_common(const struct event_rows *rows, uint32_t recording, uint64_t time)
{
	const struct waits *waits = &rows->reader.waits;
	uint64_t start = waits->recordings[recording].start, later = 0;

	if (rows->earliest)
		later = profile_realtime(waits->profile, recording, start) - rows->earliest;
	return (int64_t)(time - start + later);
}

uint64_t event_rows_wait_begin(const struct event_rows *rows, const struct profile_wait *wait)
{
	uint64_t from, to;

	profile_recording_part(rows->reader.waits.profile, wait->recording, &from, &to);
	return wait->out > from ? wait->out : from;
}
