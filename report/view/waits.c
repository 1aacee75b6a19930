/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/waits.h"

#include <errno.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/hash_map.h"

struct extents { /* sizes of the tables that waits refer to */
	size_t sources, recordings, tasks, nodes, objects, operations;
};

/* Number 0 is always allowed: it is used only if the list has entries. */
static bool is_within(uint32_t number, size_t count)
{
	return !number || number < count;
}

static bool is_sound(const struct profile_wait *wait, const struct extents *extents)
{
	return wait->source < extents->sources && wait->recording < extents->recordings &&
	       wait->task < extents->tasks && wait->node < extents->nodes &&
	       wait->waker_node < extents->nodes &&
	       (wait->waker == PROFILE_NO_TASK || wait->waker < extents->tasks) &&
	       is_within(wait->object, extents->objects) && is_within(wait->operation, extents->operations) &&
	       is_within(wait->ready, extents->objects) &&
	       (!(wait->held & HELD_BY_OWNER) || wait->owner < extents->tasks) &&
	       wait->wait_class < WAIT_CLASSES &&
	       wait->waker_context <= WAKER_UNKNOWN && wait->out <= wait->in &&
	       wait->run_queue <= wait->in - wait->out;
}

static bool objects_are_sound(const struct waits *waits, const struct extents *extents)
{
	for (size_t i = 0; i < extents->objects; i++) {
		const struct profile_users *users = waits->objects[i].users;

		for (unsigned int end = 0; end < PROFILE_DIRECTIONS; end++)
			if (users[end].processes && users[end].task >= extents->tasks)
				return false;
	}
	return true;
}

static bool is_in_order(const struct profile_wait *left, const struct profile_wait *right)
{
	if (left->recording != right->recording)
		return left->recording < right->recording;
	if (left->task != right->task)
		return left->task < right->task;
	return left->out <= right->out;
}

static bool has_several_hosts(const struct waits *waits)
{
	for (size_t i = 1; i < waits->recording_count; i++)
		if (waits->recordings[i].host != waits->recordings[0].host)
			return true;
	return false;
}

int waits_init(struct waits *waits, struct profile *profile)
{
	const struct profile_source *sources;
	struct extents extents;

	*waits = (struct waits){.profile = profile};
	extents.sources = profile_sources(profile, &sources);
	(void)profile_nodes(profile, &extents.nodes);
	waits->tasks = profile_tasks(profile, &extents.tasks);
	extents.objects = profile_objects(profile, &waits->objects);
	extents.operations = profile_operations(profile, &waits->operations);
	waits->recording_count = extents.recordings = profile_recordings(profile, &waits->recordings);
	waits->count = profile_waits(profile, &waits->items);
	waits->several_hosts = has_several_hosts(waits);
	if (waits->count == SIZE_MAX)
		return -ENOMEM;
	if (waits->count >= UINT32_MAX)
		return -EBADMSG;
	for (size_t i = 0; i < waits->count; i++) {
		if (!is_sound(&waits->items[i], &extents))
			return -EBADMSG;
		if (i && !is_in_order(&waits->items[i - 1], &waits->items[i]))
			return -EBADMSG;
	}
	return objects_are_sound(waits, &extents) ? 0 : -EBADMSG;
}

void waits_skip_recording(const struct waits *waits, size_t first, uint32_t recording, size_t *ret_next)
{
	while (first < waits->count && waits->items[first].recording == recording)
		first++;
	*ret_next = first;
}

enum wait_bound wait_age_bound(const struct profile_wait *wait)
{
	return wait->flags & PROFILE_WAIT_OUT_BOUND ? WAIT_AT_LEAST : WAIT_EXACT;
}

bool wait_is_of_vfork(const struct waits *waits, const struct profile_wait *wait)
{
	char state[24];

	profile_state_text(wait->state, 0, state);
	return state[0] == 'D' && waits->objects[wait->object].kind == OBJECT_CHILD;
}

enum wait_bound wait_length_bound(const struct profile_wait *wait)
{
	return wait->flags & PROFILE_WAIT_NOT_ENDED ? WAIT_AT_LEAST : wait_age_bound(wait);
}

enum waker_context wake_context(const struct profile_wait *wait)
{
	bool somebody = wait->waker != PROFILE_NO_TASK || wake_is_interrupt(wait->waker_context);

	if (wait->flags & PROFILE_WAIT_NOT_ENDED || !somebody)
		return WAKER_NONE;
	return (enum waker_context)wait->waker_context;
}

/* --- other ends --- */

/* If a wait for several descriptors ends, the one that was ready mostly had something to read. */
static enum profile_direction direction_of(const struct profile_operation *operation,
					   const struct profile_object *object)
{
	if (object->kind != OBJECT_PIPE)
		return PROFILE_NEITHER;
	return operation->direction == PROFILE_READS || operation->many ? PROFILE_WRITES : PROFILE_READS;
}

const struct profile_users *other_end(const struct waits *waits, const struct profile_wait *wait,
				      enum profile_direction *ret_end)
{
	const struct profile_object *object = &waits->objects[wait->ready ? wait->ready : wait->object];
	const struct profile_operation *operation = &waits->operations[wait->operation];
	const enum profile_direction end = *ret_end = direction_of(operation, object);
	const bool unclear = end == PROFILE_READS && operation->direction == PROFILE_NEITHER;

	if (unclear || object->kind == OBJECT_CHILD || !object->users[end].processes)
		return NULL;
	return &object->users[end];
}

bool other_ends_differ(const struct waits *waits, const struct profile_wait *one, const struct profile_wait *other)
{
	enum profile_direction end;
	const struct profile_users *left = other_end(waits, one, &end), *right = other_end(waits, other, &end);

	if (!left || !right)
		return left != right;
	return left->processes != right->processes || waits->tasks[left->task].tgid != waits->tasks[right->task].tgid;
}

/* --- wait index --- */

struct thread_key { /* without padding */
	uint64_t start;
	uint32_t host, tid;
};

int wait_index_threads(const struct profile *profile, uint32_t **ret_thread_of)
{
	_cleanup_(hash_map_deinit) struct hash_map known = {0};
	size_t count;
	const struct profile_task *tasks = profile_tasks(profile, &count);
	_cleanup_free_ uint32_t *thread_of = calloc(count + 1, sizeof(*thread_of));

	if (!thread_of || hash_map_init(&known) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct profile_task *task = &tasks[i];
		const struct thread_key key = {.start = task->start, .host = task->host, .tid = task->tid};
		uint64_t *first;

		if (hash_map_add(&known, &key, sizeof(key), i, &first) < 0)
			return -ENOMEM;
		thread_of[i] = (uint32_t)*first;
	}
	*ret_thread_of = steal_ptr(thread_of);
	return 0;
}

static int compare_waits(const void *left, const void *right, void *context)
{
	const struct wait_index *index = context;
	uint32_t left_number = *(const uint32_t *)left, right_number = *(const uint32_t *)right;
	const struct profile_wait *l = &index->waits->items[left_number],
				  *r = &index->waits->items[right_number];
	uint32_t left_thread = index->thread_of[l->task], right_thread = index->thread_of[r->task];

	return COMPARE(l->recording, r->recording) ?: COMPARE(left_thread, right_thread) ?: COMPARE(l->out, r->out) ?:
	       COMPARE(left_number, right_number);
}

struct task_run { /* the waits of one task in one recording, which are adjacent */
	uint32_t recording, thread;
	uint32_t first, count; /* waits */
};

static int compare_runs(const void *left, const void *right)
{
	const struct task_run *l = left, *r = right;

	return COMPARE(l->recording, r->recording) ?: COMPARE(l->thread, r->thread) ?: COMPARE(l->first, r->first);
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

	return COMPARE(l->recording, r->recording) ?: COMPARE(l->thread, r->thread);
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

static int list_threads(struct wait_index *index, size_t task_count)
{
	const struct profile_task_sums *sums;
	size_t sum_count = profile_task_sums(index->waits->profile, &sums);
	int r;

	index->threads = calloc(find_runs(index, NULL) + sum_count + 1, sizeof(*index->threads));
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
	r = wait_index_threads(waits->profile, &index->thread_of) ?:
	    order_waits(index) ?:
	    list_threads(index, task_count);
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

/* --- wait next --- */

/* Not one that may have let go. */
static bool has_owner(const struct waits *waits, const struct profile_wait *wait)
{
	return wait->held & HELD_BY_OWNER && wait->held & PROFILE_HELD_ALL && waits->tasks[wait->owner].tid;
}

static const struct profile_users *only_thread(const struct profile_users *users)
{
	return users && users->processes == 1 && users->one_thread ? users : NULL;
}

static bool is_child(const struct waits *waits, const struct profile_wait *wait)
{
	return waits->objects[wait->object].kind == OBJECT_CHILD;
}

/* Of a sleeper that nobody has woken: its child, or the only thread seen to use the other end. */
static const struct profile_users *awaited(const struct waits *waits, const struct profile_wait *wait)
{
	enum profile_direction end;

	if (!wait->object || !(wait->flags & PROFILE_WAIT_NOT_ENDED))
		return NULL;
	return only_thread(is_child(waits, wait) ? &waits->objects[wait->object].users[PROFILE_NEITHER] :
						   other_end(waits, wait, &end));
}

/* The only thread seen to use the other end of the connection that an interrupt brought data of. */
static const struct profile_users *sender(const struct waits *waits, const struct profile_wait *wait)
{
	const uint32_t number = wait->ready ? wait->ready : wait->object;

	if (!number || waits->objects[number].kind != OBJECT_TCP)
		return NULL;
	return only_thread(&waits->objects[number].users[PROFILE_NEITHER]);
}

int wait_next_find(const struct waits *waits, struct places *places, const struct profile_wait *wait,
		   struct wait_next *ret_next)
{
	const struct profile_users *users = NULL;
	struct place place;
	bool timer = false;
	int r = 0;

	*ret_next = (struct wait_next){.by = WAIT_NEXT_WAKER};
	if (wait->wait_class != WAIT_BLOCKED)
		return 0;
	if (wake_context(wait) == WAKER_NONE) {
		users = awaited(waits, wait);
		if (has_owner(waits, wait))
			*ret_next = (struct wait_next){WAIT_NEXT_OWNER, wait->owner};
		else if (users)
			*ret_next = (struct wait_next){is_child(waits, wait) ? WAIT_NEXT_CHILD : WAIT_NEXT_OTHER_END, users->task};
		return 0;
	}
	if (wait->waker_node && wake_is_interrupt(wait->waker_context))
		users = sender(waits, wait);
	if (users)
		r = places_find(places, wait->waker_node, &place, &timer);
	if (!r && users && !timer)
		*ret_next = (struct wait_next){WAIT_NEXT_OTHER_END, users->task};
	return r;
}
