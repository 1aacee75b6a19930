/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The waits for which a page has no room, as sums: how much of each bin of time each task spent in
 * them. The bins of a recording are equally long; the first one begins with it.
 */
#include "report/view/html/html.h"

#include <stdlib.h>

struct bins { /* of one task in one recording; waits do not overlap, so bins are completed one by one */
	struct html_page *page;
	uint32_t recording, task;
	uint64_t number; /* of the bin that the sums are of */
	uint64_t blocked, run_queue, other; /* ns */
};

static void write_bin(struct bins *bins)
{
	struct html_page *page = bins->page;

	if (!bins->blocked && !bins->run_queue && !bins->other)
		return;
	column_add(html_column(page, COLUMN_BIN_TASK), page->tasks.number_of[bins->task]);
	column_add(html_column(page, COLUMN_BIN_RECORDING), bins->recording);
	column_add(html_column(page, COLUMN_BIN_FIRST), bins->number);
	column_add(html_column(page, COLUMN_BIN_BLOCKED), bins->blocked / page->unit);
	column_add(html_column(page, COLUMN_BIN_RUN_QUEUE), bins->run_queue / page->unit);
	column_add(html_column(page, COLUMN_BIN_OTHER), bins->other / page->unit);
	bins->blocked = bins->run_queue = bins->other = 0;
}

static void enter_bin(struct bins *bins, uint64_t number)
{
	if (number == bins->number)
		return;
	write_bin(bins);
	bins->number = number;
}

/* Adds [from, to) ns after the recording's start to one of the sums. */
static void add_span(struct bins *bins, uint64_t from, uint64_t to, uint64_t *sum)
{
	uint64_t length = bins->page->limit.bin;

	while (from < to) {
		uint64_t number = from / length, end;

		if (__builtin_mul_overflow(number + 1, length, &end) || end > to)
			end = to;
		enter_bin(bins, number);
		*sum += end - from;
		from = end;
	}
}

static void add_wait(struct bins *bins, const struct profile_wait *wait, const struct profile_recording *recording)
{
	uint64_t out = wait->out > recording->start ? wait->out : recording->start,
		 in = wait->in < recording->stop ? wait->in : recording->stop,
		 since = wait->in - wait->run_queue;

	if (bins->recording != wait->recording || bins->task != wait->task) {
		write_bin(bins);
		bins->recording = wait->recording;
		bins->task = wait->task;
		bins->number = 0;
	}
	if (out >= in)
		return;
	if (wait->wait_class != WAIT_BLOCKED) {
		add_span(bins, out - recording->start, in - recording->start, &bins->other);
		return;
	}
	since = since < out ? out : since > in ? in : since;
	add_span(bins, out - recording->start, since - recording->start, &bins->blocked);
	add_span(bins, since - recording->start, in - recording->start, &bins->run_queue);
}

/* Waits overlap only in a trace that is wrong; they could use up all memory. */
static bool is_too_much(struct html_page *page)
{
	uint64_t most = page->context->settings->max_page;

	return most && html_column(page, COLUMN_BIN_FIRST)->count > most;
}

int html_write_bins(struct html_page *page)
{
	const struct waits *waits = &page->reader.waits;
	struct bins bins = {.page = page};

	columns_clear(&page->columns, COLUMN_BIN_TASK, COLUMN_BIN_OTHER + 1);
	if (!page->limit.bin)
		return 0;
	for (size_t i = 0; i < waits->count && !is_too_much(page); i++)
		if (wait_is_shown(&waits->items[i]) && wait_length(&waits->items[i]) < page->limit.least_wait)
			add_wait(&bins, &waits->items[i], &waits->recordings[waits->items[i].recording]);
	write_bin(&bins);
	return 0;
}
