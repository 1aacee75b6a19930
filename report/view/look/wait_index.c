/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/look/wait_index.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/hash_map.h"
#include "common/sorted.h"

struct thread_key { /* without padding */
	uint64_t start;
	uint32_t host, tid;
};

static int number_threads(struct wait_index *index, size_t task_count)
{
	_cleanup_(hash_map_deinit) struct hash_map known = {0};
	int r = hash_map_init(&known);

	index->thread_of = calloc(task_count + 1, sizeof(*index->thread_of));
	if (r < 0 || !index->thread_of)
		return -ENOMEM;
	for (size_t i = 0; i < task_count; i++) {
		const struct profile_task *task = &index->waits->tasks[i];
		const struct thread_key key = {.start = task->start, .host = task->host, .tid = task->tid};
		uint64_t *first;

		if (hash_map_add(&known, &key, sizeof(key), i, &first) < 0)
			return -ENOMEM;
		index->thread_of[i] = (uint32_t)*first;
	}
	return 0;
}

static int compare_waits(const void *left, const void *right, void *context)
{
	const struct wait_index *index = context;
	uint32_t left_number = *(const uint32_t *)left, right_number = *(const uint32_t *)right;
	const struct profile_wait *l = &index->waits->items[left_number],
				  *r = &index->waits->items[right_number];
	uint32_t left_thread = index->thread_of[l->task], right_thread = index->thread_of[r->task];

	if (l->recording != r->recording)
		return l->recording < r->recording ? -1 : 1;
	if (left_thread != right_thread)
		return left_thread < right_thread ? -1 : 1;
	if (l->out != r->out)
		return l->out < r->out ? -1 : 1;
	return (left_number > right_number) - (left_number < right_number);
}

struct task_run { /* the waits of one task in one recording, which are adjacent */
	uint32_t recording, thread;
	uint32_t first, count; /* waits */
};

static int compare_runs(const void *left, const void *right)
{
	const struct task_run *l = left, *r = right;

	if (l->recording != r->recording)
		return l->recording < r->recording ? -1 : 1;
	if (l->thread != r->thread)
		return l->thread < r->thread ? -1 : 1;
	return (l->first > r->first) - (l->first < r->first);
}

/* Returns the number of runs. `runs` has room for all of them, or is NULL. */
static size_t find_runs(const struct wait_index *index, struct task_run *runs)
{
	const struct profile_wait *waits = index->waits->items;
	size_t count = 0;

	for (size_t i = 0; i < index->waits->count; i++) {
		if (i && waits[i].task == waits[i - 1].task && waits[i].recording == waits[i - 1].recording)
			continue;
		if (runs)
			runs[count] = (struct task_run){.recording = waits[i].recording,
							.thread = index->thread_of[waits[i].task],
							.first = (uint32_t)i};
		if (runs && count)
			runs[count - 1].count = (uint32_t)i - runs[count - 1].first;
		count++;
	}
	if (runs && count)
		runs[count - 1].count = (uint32_t)index->waits->count - runs[count - 1].first;
	return count;
}

/* Sorts the waits of one thread, [first, end) of the order. */
static void order_thread(struct wait_index *index, size_t first, size_t end)
{
	for (size_t i = first + 1; i < end; i++)
		if (compare_waits(&index->order[i - 1], &index->order[i], index) > 0) {
			qsort_r(&index->order[first], end - first, sizeof(*index->order), compare_waits, index);
			break;
		}
}

/* A wait within an earlier one of its thread never is the current one: it ends with that one. */
static void set_ends(struct wait_index *index, size_t count)
{
	const struct profile_wait *items = index->waits->items;

	for (size_t i = 0; i < count; i++) {
		const struct profile_wait *wait = &items[index->order[i]];
		const struct profile_wait *before = i ? &items[index->order[i - 1]] : wait;
		const bool same = i && wait->recording == before->recording &&
				  index->thread_of[wait->task] == index->thread_of[before->task];

		index->ends[i] = same && index->ends[i - 1] > wait->in ? index->ends[i - 1] : wait->in;
	}
}

/* The waits of a task are in order already. A thread that changed its comm is several tasks, which are not adjacent. */
static int order_waits(struct wait_index *index)
{
	size_t run_count = find_runs(index, NULL), count = 0, thread = 0;
	_cleanup_free_ struct task_run *runs = calloc(run_count + 1, sizeof(*runs));

	index->order = calloc(index->waits->count + 1, sizeof(*index->order));
	index->ends = calloc(index->waits->count + 1, sizeof(*index->ends));
	if (!runs || !index->order || !index->ends)
		return -ENOMEM;
	(void)find_runs(index, runs);
	qsort(runs, run_count, sizeof(*runs), compare_runs);
	for (size_t i = 0; i < run_count; i++) {
		if (i && (runs[i].thread != runs[i - 1].thread || runs[i].recording != runs[i - 1].recording)) {
			order_thread(index, thread, count);
			thread = count;
		}
		for (uint32_t k = 0; k < runs[i].count; k++)
			index->order[count++] = runs[i].first + k;
	}
	order_thread(index, thread, count);
	set_ends(index, count);
	return 0;
}

static int compare_threads(const void *left, const void *right)
{
	const struct wait_thread *l = left, *r = right;

	if (l->recording != r->recording)
		return l->recording < r->recording ? -1 : 1;
	return (l->thread > r->thread) - (l->thread < r->thread);
}

/* Adds a row for each run of waits of one thread. */
static void add_waiting(struct wait_index *index)
{
	for (uint32_t i = 0; i < index->waits->count; i++) {
		const struct profile_wait *wait = &index->waits->items[index->order[i]];
		struct wait_thread row = {.recording = wait->recording,
					  .thread = index->thread_of[wait->task], .first = i,
					  .count = 1};

		if (index->thread_count && !compare_threads(&index->threads[index->thread_count - 1], &row))
			index->threads[index->thread_count - 1].count++;
		else
			index->threads[index->thread_count++] = row;
	}
}

/* Adds a row for each of the tasks' sums. */
static int add_summed(struct wait_index *index, const struct profile_task_sums *sums, size_t count,
		      size_t task_count)
{
	for (size_t i = 0; i < count; i++) {
		struct wait_thread row = {.recording = sums[i].recording, .summed = true,
					  .started = sums[i].kinds[WAIT_SUM_STARTED].count,
					  .from = sums[i].from, .to = sums[i].to, .running = sums[i].running};

		if (sums[i].task >= task_count)
			return -EBADMSG;
		row.thread = index->thread_of[sums[i].task];
		for (unsigned int kind = 0; kind < WAIT_SUM_KINDS; kind++)
			row.brief = wait_add(row.brief, sums[i].kinds[kind].total);
		index->threads[index->thread_count++] = row;
	}
	return 0;
}

static void add_sums(struct wait_thread *thread, const struct wait_thread *row)
{
	if (!row->summed)
		return;
	thread->from = thread->summed && thread->from < row->from ? thread->from : row->from;
	thread->to = thread->to > row->to ? thread->to : row->to;
	thread->summed = true;
	thread->started |= row->started;
	thread->brief = wait_add(thread->brief, row->brief);
	thread->running = wait_add(thread->running, row->running);
}

static void merge_threads(struct wait_index *index)
{
	size_t merged = 0;

	qsort(index->threads, index->thread_count, sizeof(*index->threads), compare_threads);
	for (size_t i = 0; i < index->thread_count; i++) {
		const struct wait_thread *row = &index->threads[i];
		struct wait_thread *last = merged ? &index->threads[merged - 1] : NULL;

		if (!last || compare_threads(last, row) != 0) {
			index->threads[merged++] = *row;
			continue;
		}
		last->first = row->count ? row->first : last->first;
		last->count += row->count;
		add_sums(last, row);
	}
	index->thread_count = merged;
}

/* Time within the thread's span, and outside of its waits. */
static uint64_t between_waits(const struct wait_index *index, const struct wait_thread *thread)
{
	uint64_t start = index->waits->recordings[thread->recording].start, sum = 0;
	uint64_t at = thread->from > start ? thread->from : start;

	for (uint32_t i = 0; i < thread->count && at < thread->to; i++) {
		const struct profile_wait *wait = wait_index_wait(index, thread, i);

		if (wait->out > at)
			sum += (wait->out < thread->to ? wait->out : thread->to) - at;
		at = wait->in > at ? wait->in : at;
	}
	return at < thread->to ? sum + thread->to - at : sum;
}

/*
 * It did not run while it waited: what is more, it ran before the recording. Interrupts, and what the host took, are in
 * the unknown: a part of this size is not worth a word.
 */
static void find_unknown(const struct wait_index *index, struct wait_thread *thread)
{
	uint64_t all = between_waits(index, thread), most = all > thread->brief ? all - thread->brief : 0, known;

	if (thread->running > most)
		thread->running = most;
	known = wait_add(thread->running, thread->brief);
	if (all > known && all - known > all / 16)
		thread->unknown = all - known;
}

/* Upper bound of the rows needed for the waits. */
static size_t count_runs(const struct wait_index *index)
{
	size_t runs = 0;

	for (size_t i = 0; i < index->waits->count; i++) {
		const struct profile_wait *wait = &index->waits->items[index->order[i]], *before = NULL;

		if (i)
			before = &index->waits->items[index->order[i - 1]];
		runs += !before || before->recording != wait->recording ||
			index->thread_of[before->task] != index->thread_of[wait->task];
	}
	return runs;
}

static int list_threads(struct wait_index *index, size_t task_count)
{
	const struct profile_task_sums *sums;
	size_t sum_count = profile_task_sums(index->waits->profile, &sums);
	int r;

	index->threads = calloc(count_runs(index) + sum_count + 1, sizeof(*index->threads));
	if (!index->threads)
		return -ENOMEM;
	add_waiting(index);
	r = add_summed(index, sums, sum_count, task_count);
	if (r < 0)
		return r;
	merge_threads(index);
	for (size_t i = 0; i < index->thread_count; i++)
		find_unknown(index, &index->threads[i]);
	return 0;
}

int wait_index_init(struct wait_index *index, const struct waits *waits)
{
	size_t task_count;
	int r;

	*index = (struct wait_index){.waits = waits};
	(void)profile_tasks(waits->profile, &task_count);
	r = number_threads(index, task_count);
	if (!r)
		r = order_waits(index);
	if (!r)
		r = list_threads(index, task_count);
	if (r < 0)
		wait_index_deinit(index);
	return r;
}

void wait_index_deinit(struct wait_index *index)
{
	free(index->thread_of);
	free(index->order);
	free(index->ends);
	free(index->threads);
	*index = (struct wait_index){0};
}

const struct wait_thread *wait_index_find(const struct wait_index *index, uint32_t recording, uint32_t task)
{
	const struct wait_thread key = {.recording = recording, .thread = index->thread_of[task]};

	return bsearch(&key, index->threads, index->thread_count, sizeof(key), compare_threads);
}

uint64_t wait_index_running(const struct wait_index *index, const struct profile_task_sums *row)
{
	const struct wait_thread *thread = wait_index_find(index, row->recording, row->task);

	return thread && thread->running < row->running ? thread->running : row->running;
}

uint32_t wait_index_after(const struct wait_index *index, const struct wait_thread *thread, uint64_t time)
{
	const uint64_t *ends = index->ends + thread->first;

	return (uint32_t)SORTED_FIRST(i, thread->count, ends[i] > time);
}

uint64_t wait_index_known_until(const struct wait_index *index, const struct profile_task_sums *row)
{
	const struct wait_thread *thread = wait_index_find(index, row->recording, row->task);
	uint64_t stop = index->waits->recordings[row->recording].stop, end;

	if (!thread || !thread->count)
		return row->to;
	end = index->ends[thread->first + thread->count - 1];
	end = end < stop ? end : stop;
	return row->to > end ? row->to : end;
}
