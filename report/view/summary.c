/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/printable.h"
#include "report/figures.h"
#include "report/view/section.h"
#include "report/view/wait_index.h"

/*
 * Where each thread's time went. Every column is measured on its own: running by the kernel's account of the thread, the
 * others by its waits, those that were only summed included. What is left of the wall-clock time is the residue: interrupts
 * and stolen time, which the kernel charges to nobody, and what was lost or cut.
 */

enum { BLOCKED_S, BLOCKED_D, BLOCKED_OTHER, BLOCKED_STATES };

struct summary_row {
	uint32_t recording, task;
	uint64_t wall, running, run_queue, iowait, waits;
	uint64_t blocked[BLOCKED_STATES];
	bool whole; /* its part of the recording is known */
};

struct summary {
	const struct view_context *context;
	struct waits waits;
	struct wait_index index;
	struct summary_row *rows; /* as the index's threads */
};

static void summary_deinit(struct summary *summary)
{
	wait_index_deinit(&summary->index);
	free(summary->rows);
}

static unsigned int blocked_in(const struct profile_wait *wait)
{
	char state[24];

	profile_wait_state(wait->state, state);
	return state[0] == 'D' ? BLOCKED_D : state[0] == 'S' ? BLOCKED_S : BLOCKED_OTHER;
}

static void add_waits(struct summary *summary, struct summary_row *row, const struct wait_thread *thread)
{
	for (uint32_t i = 0; i < thread->count; i++) {
		const struct profile_wait *wait = wait_index_wait(&summary->index, thread, i);
		uint64_t run_queue = wait->run_queue < wait->weight ? wait->run_queue : wait->weight;
		uint64_t blocked = wait->weight - run_queue;

		row->waits++;
		row->run_queue = wait_add(row->run_queue, run_queue);
		row->blocked[blocked_in(wait)] += blocked;
		if (wait->flags & PROFILE_WAIT_IOWAIT)
			row->iowait += blocked;
	}
}

static void add_sums(const struct summary *summary, struct summary_row *row, const struct profile_task_sums *sums)
{
	static const unsigned int states[PROFILE_SUM_KINDS] = {
		[PROFILE_SUM_INTERRUPTIBLE] = BLOCKED_S,
		[PROFILE_SUM_UNINTERRUPTIBLE] = BLOCKED_D,
		[PROFILE_SUM_OTHER_BLOCKED] = BLOCKED_OTHER,
		/* of the others nothing is blocked */
	};
	uint64_t start = summary->waits.recordings[sums->recording].start;
	uint64_t from = sums->from > start ? sums->from : start;

	row->whole = true;
	row->wall = sums->to > from ? sums->to - from : 0;
	row->running = sums->running;
	row->task = sums->task;
	for (size_t i = 0; i < PROFILE_SUM_KINDS; i++) {
		const struct profile_wait_sum *sum = &sums->kinds[i];
		uint64_t run_queue = sum->run_queue < sum->total ? sum->run_queue : sum->total;

		row->waits = wait_add(row->waits, sum->count);
		row->run_queue = wait_add(row->run_queue, run_queue);
		row->blocked[states[i]] = wait_add(row->blocked[states[i]], sum->total - run_queue);
	}
}

static int summary_init(struct summary *summary, const struct view_context *context)
{
	const struct profile_task_sums *sums;
	size_t count = profile_task_sums(context->profile, &sums);
	int r;

	*summary = (struct summary){.context = context};
	r = waits_init(&summary->waits, context->profile);
	if (r == 0)
		r = wait_index_init(&summary->index, &summary->waits);
	if (r < 0)
		return r;
	summary->rows = calloc(summary->index.thread_count + 1, sizeof(*summary->rows));
	if (!summary->rows)
		return -ENOMEM;
	for (size_t i = 0; i < summary->index.thread_count; i++) {
		const struct wait_thread *thread = &summary->index.threads[i];

		summary->rows[i].recording = thread->recording;
		summary->rows[i].task = thread->thread;
		add_waits(summary, &summary->rows[i], thread);
	}
	for (size_t i = 0; i < count; i++) {
		const struct wait_thread *thread = wait_index_find(&summary->index, sums[i].recording, sums[i].task);

		if (thread)
			add_sums(summary, &summary->rows[thread - summary->index.threads], &sums[i]);
	}
	return 0;
}

/* Who had to wait for a CPU or uninterruptibly for longest stands last, next to the prompt. */
static int compare_rows(const void *left, const void *right)
{
	const struct summary_row *l = left, *r = right;
	uint64_t left_held = wait_add(l->run_queue, l->blocked[BLOCKED_D]);
	uint64_t right_held = wait_add(r->run_queue, r->blocked[BLOCKED_D]);

	if (left_held != right_held)
		return left_held < right_held ? -1 : 1;
	if (l->recording != r->recording)
		return l->recording < r->recording ? -1 : 1;
	return (l->task > r->task) - (l->task < r->task);
}

static uint64_t accounted(const struct summary_row *row)
{
	uint64_t sum = wait_add(row->running, row->run_queue);

	for (size_t i = 0; i < BLOCKED_STATES; i++)
		sum = wait_add(sum, row->blocked[i]);
	return sum;
}

/* "12345.678": ms, to the us. */
static void write_ms(FILE *out, uint64_t ns)
{
	uint64_t us = ns / 1000 + (ns % 1000 >= 500);

	(void)fprintf(out, " %8" PRIu64 ".%03" PRIu64, us / 1000, us % 1000);
}

static void write_residue(FILE *out, const struct summary_row *row)
{
	uint64_t sum = accounted(row), residue = row->wall > sum ? row->wall - sum : sum - row->wall;
	char text[32];

	if (!row->whole) {
		(void)fprintf(out, " %12s", "-");
		return;
	}
	residue = residue / 1000 + (residue % 1000 >= 500);
	(void)snprintf(text, sizeof(text), "%s%" PRIu64 ".%03" PRIu64, row->wall < sum && residue ? "-" : "", residue / 1000,
		       residue % 1000);
	(void)fprintf(out, " %12s", text);
}

static void write_row(const struct summary *summary, const struct summary_row *row)
{
	const struct profile_task *task = &summary->waits.tasks[row->task];
	FILE *out = summary->context->out;

	if (row->whole)
		write_ms(out, row->wall);
	else
		(void)fprintf(out, " %12s", "-");
	write_ms(out, row->running);
	write_ms(out, row->run_queue);
	for (size_t i = 0; i < BLOCKED_STATES; i++)
		write_ms(out, row->blocked[i]);
	write_ms(out, row->iowait);
	write_residue(out, row);
	(void)fprintf(out, " %9" PRIu64 "  ", row->waits);
	printable_write(out, task->comm, strlen(task->comm));
	(void)fprintf(out, " tid %" PRIu32 " pid %" PRIu32, task->tid, task->tgid);
	if (summary->waits.recording_count > 1)
		(void)fprintf(out, " recording %" PRIu32, row->recording + 1);
	(void)fputc('\n', out);
}

int summary_section(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	_cleanup_(summary_deinit) struct summary summary;
	FILE *out = context->out;
	size_t cut = 0;
	int r = summary_init(&summary, context);

	(void)number;
	(void)source;
	if (r < 0)
		return r;
	qsort(summary.rows, summary.index.thread_count, sizeof(*summary.rows), compare_rows);
	(void)fputs("# ms of each thread; who waited longest for a CPU or in D stands last; iowait is part of blocked\n", out);
	if (context->settings->some_waits)
		(void)fputs("# filters leave out some waits of a thread: the residue has them\n", out);
	(void)fprintf(out, "#%12s%13s%13s%13s%13s%13s%13s%13s%10s  thread\n", "wall", "running", "run queue", "blocked S",
		      "blocked D", "other", "iowait", "residue", "waits");
	for (size_t i = 0; i < summary.index.thread_count; i++) {
		write_row(&summary, &summary.rows[i]);
		cut += !summary.rows[i].whole;
	}
	if (cut)
		(void)fprintf(out, "# threads of which only waits are known: %zu\n", cut);
	return 0;
}
