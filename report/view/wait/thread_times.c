/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/wait/thread_times.h"

#include <errno.h>
#include <stdlib.h>

static unsigned int blocked_in(const struct waits *waits, const struct profile_wait *wait)
{
	char state[24];

	profile_wait_state(wait->state, state);
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
