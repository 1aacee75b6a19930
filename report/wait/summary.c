/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/wait/summary.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/printable.h"
#include "report/profile/figures.h"
#include "report/view/view.h"
#include "report/view/wait_text.h"

static unsigned int blocked_in(const struct waits *waits, const struct profile_wait *wait)
{
	char state[24];

	profile_state_text(wait->state, 0, state);
	if (wait_is_of_vfork(waits, wait))
		return THREAD_BLOCKED_OTHER;
	return state[0] == 'D' ? THREAD_BLOCKED_D : state[0] == 'S' ? THREAD_BLOCKED_S : THREAD_BLOCKED_OTHER;
}

static void add_waits(struct thread_times *times, struct thread_time *row, const struct wait_thread *thread)
{
	for (uint32_t i = 0; i < thread->count; i++) {
		const struct profile_wait *wait = wait_index_wait(times->index, thread, i);
		uint64_t run_queue = wait->run_queue < wait->weight ? wait->run_queue : wait->weight;
		uint64_t blocked = wait->weight - run_queue;

		if (wait->flags & PROFILE_WAIT_UNASKED)
			continue;
		row->asked = true;
		row->waits++;
		row->run_queue = wait_add(row->run_queue, run_queue);
		if (wait->wait_class == WAIT_THROTTLED)
			row->throttled += blocked;
		else
			row->blocked[blocked_in(times->index->waits, wait)] += blocked;
		if (wait->flags & PROFILE_WAIT_IOWAIT)
			row->iowait += blocked;
	}
}

static void add_sums(const struct thread_times *times, struct thread_time *row,
		     const struct profile_task_sums *sums)
{
	static const unsigned int states[WAIT_SUM_KINDS] = {
		[WAIT_SUM_INTERRUPTIBLE] = THREAD_BLOCKED_S,
		[WAIT_SUM_UNINTERRUPTIBLE] = THREAD_BLOCKED_D,
		[WAIT_SUM_OTHER_BLOCKED] = THREAD_BLOCKED_OTHER,
		[WAIT_SUM_STARTED] = THREAD_BLOCKED_OTHER, /* until it was first put on a run queue */
		/* other classes have no blocked part */
	};
	uint64_t start = times->index->waits->recordings[sums->recording].start;
	uint64_t from = sums->from > start ? sums->from : start;
	uint64_t to = wait_index_known_until(times->index, sums);

	if (sums->unasked)
		return;
	row->asked = true;
	row->whole = true;
	row->wall = to > from ? to - from : 0;
	row->running = wait_index_running(times->index, sums);
	row->task = sums->task;
	for (size_t i = 0; i < WAIT_SUM_KINDS; i++) {
		const struct profile_wait_sum *sum = &sums->kinds[i];
		uint64_t run_queue = sum->run_queue < sum->total ? sum->run_queue : sum->total;
		uint64_t rest = sum->total - run_queue, throttled = sum->throttled < rest ? sum->throttled : rest;

		row->waits = wait_add(row->waits, sum->count);
		row->run_queue = wait_add(row->run_queue, run_queue);
		row->throttled = wait_add(row->throttled, throttled);
		row->blocked[states[i]] = wait_add(row->blocked[states[i]], sum->total - run_queue - throttled);
	}
}

/* The task of its first wait in this recording: the thread may have another comm in another recording. */
static uint32_t name_of(const struct wait_index *index, const struct wait_thread *thread)
{
	return thread->count ? wait_index_wait(index, thread, 0)->task : thread->thread;
}

int thread_times_init(struct thread_times *times, const struct wait_index *index)
{
	const struct profile_task_sums *sums;
	size_t count = profile_task_sums(index->waits->profile, &sums);

	*times = (struct thread_times){.index = index};
	times->rows = calloc(times->index->thread_count + 1, sizeof(*times->rows));
	if (!times->rows)
		return -ENOMEM;
	for (size_t i = 0; i < times->index->thread_count; i++) {
		const struct wait_thread *thread = &times->index->threads[i];

		times->rows[i].recording = thread->recording;
		times->rows[i].task = name_of(index, thread);
		add_waits(times, &times->rows[i], thread);
	}
	for (size_t i = 0; i < count; i++) {
		const struct wait_thread *thread = wait_index_find(times->index,
								   sums[i].recording, sums[i].task);

		if (thread)
			add_sums(times, &times->rows[thread - times->index->threads], &sums[i]);
	}
	return 0;
}

void thread_times_deinit(struct thread_times *times)
{
	free(times->rows);
	*times = (struct thread_times){0};
}

uint64_t thread_time_accounted(const struct thread_time *row)
{
	uint64_t sum = wait_add(wait_add(row->running, row->run_queue), row->throttled);

	for (size_t i = 0; i < THREAD_BLOCKED_STATES; i++)
		sum = wait_add(sum, row->blocked[i]);
	return sum;
}

/* --- summary --- */

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
	*summary = (struct summary){0};
	return waits_init(&summary->waits, profile) ?:
	       wait_index_init(&summary->index, &summary->waits) ?:
	       thread_times_init(&summary->times, &summary->index);
}

/* The thread that waited longest for a CPU or uninterruptibly is last, next to the prompt. */
static int compare_rows(const void *left, const void *right)
{
	const struct thread_time *l = left, *r = right;
	uint64_t left_held = wait_add(wait_add(l->run_queue, l->throttled), l->blocked[THREAD_BLOCKED_D]);
	uint64_t right_held = wait_add(wait_add(r->run_queue, r->throttled), r->blocked[THREAD_BLOCKED_D]);

	return COMPARE(left_held, right_held) ?: COMPARE(l->recording, r->recording) ?: COMPARE(l->task, r->task);
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

	if (row->whole) {
		wait_write_ms(out, row->wall);
		wait_write_ms(out, row->running);
	} else {
		(void)fprintf(out, " %12s %12s", "-", "-");
	}
	wait_write_ms(out, row->run_queue);
	wait_write_ms(out, row->throttled);
	for (size_t i = 0; i < THREAD_BLOCKED_STATES; i++)
		wait_write_ms(out, row->blocked[i]);
	wait_write_ms(out, row->iowait);
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
