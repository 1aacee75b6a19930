/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A page's waits that the recorder only counted, with the time of each task on CPUs; and the walked tasks. */
#include <errno.h>

#include "common/cleanup.h"
#include "common/time_units.h"
#include "report/view/html/html.h"
#include "report/view/look/wait_index.h"
#include "report/view/text/object_text.h"

enum sum_flag { SUM_UNASKED = 1 };

static uint64_t ticks_from_start(const struct html_page *page, uint32_t recording, uint64_t time)
{
	int64_t ticks = html_ticks(page, recording, time);

	return ticks > 0 ? (uint64_t)ticks : 0;
}

/* A thread that changed its comm has several rows: the last one has it. */
static uint64_t unknown_of(const struct wait_index *index, const struct profile_task_sums *row)
{
	const struct wait_thread *thread = wait_index_find(index, row->recording, row->task);

	return thread && thread->to == row->to ? thread->unknown : 0;
}

int html_write_sums(struct html_page *page)
{
	_cleanup_(wait_index_deinit) struct wait_index index;
	const struct profile_task_sums *sums;
	size_t count = profile_task_sums(page->profile, &sums);
	int r = wait_index_init(&index, &page->reader.waits);

	if (r < 0)
		return r;
	for (size_t i = 0; i < count; i++) {
		const struct profile_task_sums *row = &sums[i];

		if (row->recording >= page->reader.waits.recording_count)
			return -EBADMSG;
		column_add(html_column(page, COLUMN_SUM_RECORDING), row->recording);
		column_add(html_column(page, COLUMN_SUM_TASK), page->tasks.number_of[row->task]);
		column_add(html_column(page, COLUMN_SUM_FLAGS), row->unasked ? SUM_UNASKED : 0);
		column_add(html_column(page, COLUMN_SUM_FROM), ticks_from_start(page, row->recording, row->from));
		column_add(html_column(page, COLUMN_SUM_TO), ticks_from_start(page, row->recording, row->to));
		column_add(html_column(page, COLUMN_SUM_RUNNING), wait_index_running(&index, row));
		column_add(html_column(page, COLUMN_SUM_UNKNOWN), unknown_of(&index, row));
		for (size_t kind = 0; kind < WAIT_SUM_KINDS; kind++) {
			column_add(html_column(page, COLUMN_SUM_COUNT), row->kinds[kind].count);
			/* The page has no part for what quotas took of them: it is unknown there. */
			column_add(html_column(page, COLUMN_SUM_TOTAL),
				   row->kinds[kind].total - row->kinds[kind].throttled);
			column_add(html_column(page, COLUMN_SUM_RUN_QUEUE), row->kinds[kind].run_queue);
		}
	}
	return 0;
}

/* A walk has a host but no recording. All recordings of a host use the same clock, so the nearest one will do. */
static int64_t walk_ticks(const struct html_page *page, const struct profile_walk *walk)
{
	const struct waits *waits = &page->reader.waits;
	uint64_t nearest = UINT64_MAX;
	uint32_t found = 0;

	for (uint32_t i = 0; i < waits->recording_count; i++) {
		const struct profile_recording *recording = &waits->recordings[i];
		uint64_t start = recording->start;
		uint64_t distance = walk->time > start ? walk->time - start : start - walk->time;

		if (recording->host == walk->host && distance < nearest) {
			nearest = distance;
			found = i;
		}
	}
	if (nearest == UINT64_MAX)
		return 0;
	return page->offsets[found] + html_ticks(page, found, walk->time);
}

struct walk_writer {
	struct html_page *page;
	struct column_text walks, states, purposes; /* purposes: what tasks slept for */
};

/* The text's number + 1; 0: nothing is known. 0, -ENOMEM. */
static int find_purpose(struct walk_writer *writer, const struct profile_walk_task *row, uint64_t *ret_number)
{
	const struct profile_wait wait = profile_walk_wait(row);
	_cleanup_free_ char *text = NULL;
	int r = wait_object_text(&writer->page->reader.waits, &wait, &text);

	*ret_number = 0;
	if (r < 0 || !text)
		return r;
	r = column_text_add(&writer->purposes, text, false, ret_number);
	*ret_number += !r;
	return r;
}

static void write_walked(struct html_page *page, const struct profile_walk_task *row, uint64_t state,
			 uint64_t purpose)
{
	column_add(html_column(page, COLUMN_WALK_WALK), row->walk);
	column_add(html_column(page, COLUMN_WALK_TASK), page->tasks.number_of[row->task]);
	column_add(html_column(page, COLUMN_WALK_STACK), stacks_find(&page->stacks, row->node));
	column_add(html_column(page, COLUMN_WALK_STATE), state);
	column_add(html_column(page, COLUMN_WALK_WAIT), row->wait);
	column_add(html_column(page, COLUMN_WALK_BOUND), row->bound);
	column_add(html_column(page, COLUMN_WALK_PURPOSE), purpose);
}

static int write_rows(struct walk_writer *writer)
{
	const struct profile_walk *walks;
	const struct profile_walk_task *rows;
	size_t walk_count = profile_walks(writer->page->profile, &walks),
	       count = profile_walk_tasks(writer->page->profile, &rows);
	uint64_t state, purpose;
	int r = 0;

	for (size_t i = 0; i < walk_count; i++)
		json_write(&writer->walks.json, "{'time':%jd}", walk_ticks(writer->page, &walks[i]));
	for (size_t i = 0; i < count && !r; i++) {
		r = rows[i].walk < walk_count ? column_text_add(&writer->states, rows[i].state, true, &state) : -EBADMSG;
		if (!r)
			r = find_purpose(writer, &rows[i], &purpose);
		if (!r)
			write_walked(writer->page, &rows[i], state, purpose);
	}
	return r;
}

int html_write_walks(struct html_page *page)
{
	static const enum column_number columns[] = {COLUMN_WALKS, COLUMN_WALK_STATES, COLUMN_WALK_PURPOSES};
	struct walk_writer writer = {.page = page};
	struct column_text *const texts[] = {&writer.walks, &writer.states, &writer.purposes};
	int r = 0, closed;

	for (size_t i = 0; i < 3 && !r; i++)
		r = column_text_open(texts[i], '[');
	if (!r)
		r = write_rows(&writer);
	for (size_t i = 0; i < 3; i++) {
		closed = column_text_close(texts[i], html_column(page, columns[i]));
		r = r < 0 ? r : closed;
	}
	return r;
}
