/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/printable.h"
#include "report/profile/seam/figures.h"
#include "report/view/wait/thread_times.h"

struct summary {
	struct waits waits;
	struct wait_index index;
	struct thread_times times;
};

static void summary_deinit(struct summary *summary)
{
	thread_times_deinit(&summary->times);
	wait_index_deinit(&summary->index);
}

static int summary_init(struct summary *summary, struct profile *profile)
{
	int r;

	*summary = (struct summary){0};
	r = waits_init(&summary->waits, profile);
	if (!r)
		r = wait_index_init(&summary->index, &summary->waits);
	return r < 0 ? r : thread_times_init(&summary->times, &summary->index);
}

/* The thread that waited longest for a CPU or uninterruptibly is last, next to the prompt. */
static int compare_rows(const void *left, const void *right)
{
	const struct thread_time *l = left, *r = right;
	uint64_t left_held = wait_add(wait_add(l->run_queue, l->throttled), l->blocked[THREAD_BLOCKED_D]);
	uint64_t right_held = wait_add(wait_add(r->run_queue, r->throttled), r->blocked[THREAD_BLOCKED_D]);

	if (left_held != right_held)
		return left_held < right_held ? -1 : 1;
	if (l->recording != r->recording)
		return l->recording < r->recording ? -1 : 1;
	return (l->task > r->task) - (l->task < r->task);
}

/* "12345.678": ms, to the us. */
static void write_ms(FILE *out, uint64_t ns)
{
	uint64_t us = ns / 1000 + (ns % 1000 >= 500);

	(void)fprintf(out, " %8" PRIu64 ".%03" PRIu64, us / 1000, us % 1000);
}

static void write_unknown(FILE *out, const struct thread_time *row)
{
	uint64_t sum = thread_time_accounted(row), unknown = row->wall > sum ? row->wall - sum : sum - row->wall;
	char text[32];

	if (!row->whole) {
		(void)fprintf(out, " %12s", "-");
		return;
	}
	unknown = unknown / 1000 + (unknown % 1000 >= 500);
	(void)snprintf(text, sizeof(text), "%s%" PRIu64 ".%03" PRIu64,
		       row->wall < sum && unknown ? "-" : "", unknown / 1000, unknown % 1000);
	(void)fprintf(out, " %12s", text);
}

static void write_row(const struct view_context *context, const struct waits *waits,
		      const struct thread_time *row)
{
	const struct profile_task *task = &waits->tasks[row->task];
	FILE *out = context->out;

	if (row->whole)
		write_ms(out, row->wall);
	else
		(void)fprintf(out, " %12s", "-");
	write_ms(out, row->running);
	write_ms(out, row->run_queue);
	write_ms(out, row->throttled);
	for (size_t i = 0; i < THREAD_BLOCKED_STATES; i++)
		write_ms(out, row->blocked[i]);
	write_ms(out, row->iowait);
	write_unknown(out, row);
	(void)fprintf(out, " %9" PRIu64 "  ", row->waits);
	printable_write(out, task->comm, strlen(task->comm));
	(void)fprintf(out, " tid %" PRIu32 " pid %" PRIu32, task->tid, task->tgid);
	if (waits->recording_count > 1)
		(void)fprintf(out, " recording %" PRIu32, row->recording + 1);
	(void)fputc('\n', out);
}

static int show_summary(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	_cleanup_(summary_deinit) struct summary summary;
	FILE *out = context->out;
	size_t cut = 0;
	int r = summary_init(&summary, context->profile);

	(void)number;
	(void)source;
	if (r < 0)
		return r;
	qsort(summary.times.rows, summary.index.thread_count, sizeof(*summary.times.rows), compare_rows);
	(void)fputs("# ms of each thread; who waited longest for a CPU, for a quota, or in D stands last; "
		    "iowait is part of blocked\n",
		    out);
	if (context->settings->some_waits)
		(void)fputs("# filters leave out some waits of a thread: the unknown has them\n", out);
	(void)fprintf(out, "#%12s%13s%13s%13s%13s%13s%13s%13s%13s%10s  thread\n", "wall", "running",
		      "run queue", "throttled", "blocked S", "blocked D", "other", "iowait", "unknown", "waits");
	for (size_t i = 0; i < summary.index.thread_count; i++) {
		write_row(context, &summary.waits, &summary.times.rows[i]);
		cut += !summary.times.rows[i].whole;
	}
	if (cut)
		(void)fprintf(out, "# threads of which only waits are known: %zu\n", cut);
	return 0;
}

const struct view summary_view = {
	VIEW_OPTION("summary", .help = "where each thread's time went"),
	.print = show_summary, .kinds = VIEW_WAITED, .stackless = true,
};
