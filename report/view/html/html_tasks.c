/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The tasks and comms of a page: those that something refers to. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/hash_map.h"
#include "report/profile/seam/profile_apart.h"
#include "report/view/html/html.h"

enum { NOT_THERE = UINT32_MAX };

struct thread_key { /* without padding */
	uint64_t start;
	uint32_t host, tid;
};

enum task_flag { TASK_KERNEL_THREAD = 1, TASK_APART = 2 };

static int mark(struct html_page *page, uint32_t task)
{
	if (task >= page->reader.task_count)
		return -EBADMSG;
	page->tasks.number_of[task] = 0;
	return 0;
}

static int mark_all(struct html_page *page)
{
	const struct waits *waits = &page->reader.waits;
	const struct profile_entry *entries;
	const struct profile_task_sums *sums;
	const struct profile_walk_task *walked;
	size_t count = profile_entries(page->profile, &entries);
	int r = 0;

	for (size_t i = 0; i < count && !r; i++)
		r = mark(page, entries[i].task);
	count = profile_task_sums(page->profile, &sums);
	for (size_t i = 0; i < count && !r; i++)
		r = mark(page, sums[i].task);
	count = profile_walk_tasks(page->profile, &walked);
	for (size_t i = 0; i < count && !r; i++)
		r = mark(page, walked[i].task);
	for (size_t i = 0; i < waits->count && !r; i++) {
		r = mark(page, waits->items[i].task);
		if (!r && waits->items[i].waker != PROFILE_NO_TASK)
			r = mark(page, waits->items[i].waker);
		if (!r && waits->items[i].held & HELD_BY_OWNER)
			r = mark(page, waits->items[i].owner);
	}
	return r;
}

/* Finds the thread of each task: a thread that changes its comm is several tasks. */
static int find_threads(struct html_page *page)
{
	_cleanup_(hash_map_deinit) struct hash_map known = {0};
	size_t count = page->reader.task_count;
	int r = hash_map_init(&known);

	page->tasks.thread_of = calloc(count + 1, sizeof(*page->tasks.thread_of));
	if (r < 0 || !page->tasks.thread_of)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct profile_task *task = &page->reader.waits.tasks[i];
		const struct thread_key key = {.start = task->start, .host = task->host, .tid = task->tid};
		uint64_t *first;

		if (hash_map_add(&known, &key, sizeof(key), i, &first) < 0)
			return -ENOMEM;
		page->tasks.thread_of[i] = (uint32_t)*first;
	}
	return 0;
}

struct task_writer {
	struct html_page *page;
	struct column_text comms;
	uint32_t tid; /* of the task before */
	uint32_t *threads; /* by thread: the number of its first task, plus 1 */
};

static void write_columns(struct task_writer *writer, const struct profile_task *row, unsigned int flags,
			  uint32_t since_first)
{
	struct html_page *page = writer->page;

	column_add_signed(html_column(page, COLUMN_TASK_TID), (int64_t)row->tid - writer->tid);
	column_add_signed(html_column(page, COLUMN_TASK_PROCESS), (int64_t)row->tid - row->tgid);
	column_add(html_column(page, COLUMN_TASK_HOST), row->host);
	column_add(html_column(page, COLUMN_TASK_FLAGS), flags);
	column_add(html_column(page, COLUMN_TASK_THREAD), since_first);
	writer->tid = row->tid;
}

static int write_task(struct task_writer *writer, uint32_t task)
{
	struct html_page *page = writer->page;
	const struct profile_task *row = &page->reader.waits.tasks[task];
	uint32_t *thread = &writer->threads[page->tasks.thread_of[task]];
	unsigned int flags = row->kernel_thread ? TASK_KERNEL_THREAD : 0;
	uint64_t comm, process;
	int r = column_text_add(&writer->comms, row->comm, true, &comm);

	if (!r)
		r = column_text_add(&writer->comms, profile_process_comm(page->profile, task), true, &process);
	if (r < 0)
		return r;
	if (profile_task_apart(page->profile, task) != PROFILE_NOT_APART)
		flags |= TASK_APART;
	if (!*thread)
		*thread = (uint32_t)page->tasks.count + 1;
	page->tasks.number_of[task] = (uint32_t)page->tasks.count++;
	column_add(html_column(page, COLUMN_TASK_COMM), comm);
	column_add(html_column(page, COLUMN_TASK_PROCESS_COMM), process);
	write_columns(writer, row, flags, page->tasks.number_of[task] - (*thread - 1));
	return 0;
}

/* Writes all marked tasks. */
static int write_all(struct task_writer *writer)
{
	struct html_page *page = writer->page;
	int r = column_text_open(&writer->comms, '['), closed;

	for (uint32_t i = 0; i < page->reader.task_count && !r; i++)
		if (page->tasks.number_of[i] != NOT_THERE)
			r = write_task(writer, i);
	closed = column_text_close(&writer->comms, html_column(page, COLUMN_COMMS));
	return r < 0 ? r : closed;
}

int html_write_tasks(struct html_page *page)
{
	size_t count = page->reader.task_count;
	_cleanup_free_ uint32_t *threads = calloc(count + 1, sizeof(*threads));
	struct task_writer writer = {.page = page, .threads = threads};
	int r;

	page->tasks.number_of = malloc((count + 1) * sizeof(*page->tasks.number_of));
	if (!threads || !page->tasks.number_of)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		page->tasks.number_of[i] = NOT_THERE;
	r = mark_all(page);
	if (!r)
		r = find_threads(page);
	return r < 0 ? r : write_all(&writer);
}
