/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/seam/profile_idle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/hash_map.h"
#include "common/time_units.h"

enum {
	BUSY_SHARE = 100, /* one part in this many of a thread's time: a thread that is busy for longer works */
	QUEUED_SHARE = 20, /* likewise, for the time that a waker spends on run queues */
	EARLY_SHARE = 20,  /* likewise, for the intervals of a timer: the one after a late expiry is shorter */
	POOL = 2,	  /* this many threads of a process make a pool */
};

struct thread_key { /* without padding */
	uint64_t start;
	uint32_t host, tid;
};

struct process_key {
	uint32_t host, tgid;
};

static uint64_t add(uint64_t left, uint64_t right)
{
	uint64_t sum;

	return __builtin_add_overflow(left, right, &sum) ? UINT64_MAX : sum;
}

/* --- what is known --- */

static const struct profile_object *object_of(const struct profile_facts_ground *ground, uint32_t number)
{
	static const struct profile_object none = {.kind = PROFILE_OBJECT_NONE};

	return number ? &ground->objects[number] : &none;
}

static void note_waker(struct profile_thread_facts *own, uint32_t waker)
{
	own->several |= own->woken_by && own->woken_by != waker + 1;
	own->woken_by = waker + 1;
}

/* Data on a connection within the host is delivered by a softirq that interrupts the sender. */
static bool was_delivered(const struct profile_facts_ground *ground, const struct profile_wait *wait)
{
	const unsigned int kind = object_of(ground, wait->ready ? wait->ready : wait->object)->kind;

	return wait->waker_context == PROFILE_WAKER_SOFTIRQ &&
	       (kind == PROFILE_OBJECT_TCP || kind == PROFILE_OBJECT_UDP);
}

static void add_waker(const struct profile_facts_ground *ground, const struct profile_wait *wait, bool in_d)
{
	const bool called = wait->waker_context == PROFILE_WAKER_TASK || wait->waker_context == PROFILE_WAKER_UNKNOWN;
	const bool matters = in_d || !ground->tasks[wait->task].kernel_thread;

	if (matters && wait->held & PROFILE_HELD_BY_OWNER)
		ground->facts[wait->owner].waker = true;
	if (wait->waker == PROFILE_NO_TASK || (!called && !was_delivered(ground, wait)))
		return;
	if (matters)
		ground->facts[wait->waker].waker = true;
	if (called)
		note_waker(&ground->facts[wait->task], wait->waker);
}

static bool is_held_up(const struct profile_wait *wait, unsigned int kind)
{
	return wait->held & (PROFILE_HELD_LOCKED | PROFILE_HELD_BY_OWNER) || kind == PROFILE_OBJECT_LOCK ||
	       kind == PROFILE_OBJECT_BLOCK || kind == PROFILE_OBJECT_WORK;
}

static bool is_for_what_comes(const struct profile_facts_ground *ground, const struct profile_wait *wait,
			      const struct profile_object *object)
{
	if (object->kind == PROFILE_OBJECT_FUTEX || object->flags & PROFILE_OBJECT_LISTENS)
		return true;
	/* poll and select have no object, or the only one that they wait for; it does not matter here. */
	return wait->held & PROFILE_ENDLESS &&
	       (object->kind == PROFILE_OBJECT_NONE || object->kind == PROFILE_OBJECT_EPOLL ||
		(wait->operation && ground->operations[wait->operation].many));
}

/*
 * A thread that waits in an epoll for what may come uses the same one each time. If it also waits
 * in another one, it waits for something else: a backend of PostgreSQL, for example, waits for its
 * client in one, and for the holder of a lock in another.
 */
static void note_epoll(struct profile_thread_facts *own, uint32_t descriptor)
{
	own->otherwise |= own->epoll && own->epoll != descriptor;
	own->epoll = descriptor;
}

static void add_object(const struct profile_facts_ground *ground, const struct profile_wait *wait)
{
	const struct profile_object *object = object_of(ground, wait->object);
	struct profile_thread_facts *own = &ground->facts[wait->task];

	own->held |= is_held_up(wait, object->kind);
	own->otherwise |= !is_for_what_comes(ground, wait, object);
	own->pooled |= object->kind == PROFILE_OBJECT_FUTEX;
	if (object->kind == PROFILE_OBJECT_EPOLL && object->descriptor)
		note_epoll(own, object->descriptor);
}

void profile_facts_add_wait(const struct profile_facts_ground *ground, const struct profile_wait *wait)
{
	const uint8_t whole = PROFILE_WAIT_BEGAN_BEFORE | PROFILE_WAIT_NOT_ENDED;
	struct profile_thread_facts *own = &ground->facts[wait->task];
	uint64_t queued = wait->run_queue < wait->weight ? wait->run_queue : wait->weight;
	char state[24] = "";

	profile_wait_state(wait->state, state);
	own->waits++;
	own->whole += (wait->flags & whole) == whole;
	own->queued = add(own->queued, queued);
	add_waker(ground, wait, state[0] == 'D');
	if (wait->wait_class != PROFILE_BLOCKED)
		return;
	add_object(ground, wait);
	own->asleep = add(own->asleep, wait->weight - queued);
	if (state[0] != 'S' && state[0] != 'I' && (state[0] != 'P' || !ground->tasks[wait->task].kernel_thread))
		own->held = true;
}

void profile_facts_add_sums(struct profile_thread_facts *facts, const struct profile_task_sums *sums)
{
	struct profile_thread_facts *own = &facts[sums->task];

	own->busy = add(own->busy, sums->running);
	for (size_t i = 0; i < PROFILE_SUM_KINDS; i++) {
		const struct profile_wait_sum *sum = &sums->kinds[i];

		own->briefs = add(own->briefs, sum->count);
		own->brief = add(own->brief, sum->total);
		if (i == PROFILE_SUM_UNINTERRUPTIBLE)
			own->busy = add(own->busy, sum->total);
		else
			own->queued = add(own->queued, sum->run_queue);
	}
}

/* --- the decision --- */

static bool never_ran(const struct profile_thread_facts *facts)
{
	return facts->waits == facts->whole && !facts->briefs && !facts->busy && !facts->queued;
}

/* Once a second at most. The recording cuts off two of the waits, and a timer that was late fires earlier next time. */
static bool was_rarely_woken(const struct profile_thread_facts *facts)
{
	return facts->waits <= 2 + add(facts->asleep, facts->asleep / EARLY_SHARE) / SECOND;
}

static bool hardly_ran(const struct profile_thread_facts *facts)
{
	return !facts->otherwise && was_rarely_woken(facts) &&
	       add(add(facts->busy, facts->queued), facts->brief) <= facts->asleep / BUSY_SHARE;
}

bool profile_thread_is_idle(const struct profile_thread_facts *facts)
{
	if (!facts->waits || facts->held || facts->waker)
		return false;
	if (facts->kernel_thread)
		return add(facts->busy, facts->queued) <= facts->asleep / BUSY_SHARE;
	return never_ran(facts) || hardly_ran(facts);
}

static void merge(struct profile_thread_facts *sum, const struct profile_thread_facts *facts)
{
	sum->held |= facts->held;
	sum->waker |= facts->waker;
	sum->otherwise |= facts->otherwise;
	sum->pooled |= facts->pooled;
	sum->several |= facts->several;
	if (facts->woken_by)
		note_waker(sum, facts->woken_by - 1);
	if (facts->epoll)
		note_epoll(sum, facts->epoll);
	sum->waits += facts->waits;
	sum->whole += facts->whole;
	sum->briefs = add(sum->briefs, facts->briefs);
	sum->asleep = add(sum->asleep, facts->asleep);
	sum->brief = add(sum->brief, facts->brief);
	sum->busy = add(sum->busy, facts->busy);
	sum->queued = add(sum->queued, facts->queued);
}

struct judging {
	const struct profile_task *tasks;
	size_t count;
	struct profile_thread_facts *facts; /* facts of threads, stored at their first task */
	uint32_t *thread_of;		    /* by task: the first task of its thread */
	struct hash_map pools;		    /* by process: how many threads are in its pool */
};

static void judging_deinit(struct judging *judging)
{
	free(judging->facts);
	free(judging->thread_of);
	hash_map_deinit(&judging->pools);
}

/* Adds up the facts of a thread in its first task, whose number then stands for all tasks of the thread. */
static int merge_threads(struct judging *judging)
{
	_cleanup_(hash_map_deinit) struct hash_map known = {0};
	int r = hash_map_init(&known);

	for (size_t i = 0; i < judging->count && !r; i++) {
		const struct profile_task *task = &judging->tasks[i];
		const struct thread_key key = {.start = task->start, .host = task->host, .tid = task->tid};
		uint64_t *first;

		if (hash_map_add(&known, &key, sizeof(key), i, &first) < 0)
			return -ENOMEM;
		judging->thread_of[i] = (uint32_t)*first;
		judging->facts[i].kernel_thread = task->kernel_thread;
		if (*first < i)
			merge(&judging->facts[*first], &judging->facts[i]);
	}
	return r;
}

static struct process_key process_of(const struct judging *judging, size_t task)
{
	return (struct process_key){.host = judging->tasks[task].host, .tgid = judging->tasks[task].tgid};
}

static int count_pools(struct judging *judging)
{
	int r = hash_map_init(&judging->pools);

	for (size_t i = 0; i < judging->count && r >= 0; i++) {
		const struct process_key key = process_of(judging, i);
		uint64_t *threads;

		if (judging->thread_of[i] != i || !judging->facts[i].pooled ||
		    !profile_thread_is_idle(&judging->facts[i]))
			continue;
		r = hash_map_add(&judging->pools, &key, sizeof(key), 0, &threads);
		if (r >= 0)
			++*threads;
	}
	return r < 0 ? r : 0;
}

/* A waker that is held up or at work may keep this thread waiting. One that waited shortly for a CPU does not count. */
static bool was_woken_by_quiet(const struct judging *judging, const struct profile_thread_facts *facts)
{
	const struct profile_thread_facts *waker;

	if (!facts->woken_by)
		return true;
	waker = &judging->facts[judging->thread_of[facts->woken_by - 1]];
	return !facts->several && !waker->held && waker->busy <= waker->asleep / BUSY_SHARE &&
	       waker->queued <= waker->asleep / QUEUED_SHARE;
}

static bool is_idle(const struct judging *judging, uint32_t thread)
{
	const struct profile_thread_facts *facts = &judging->facts[thread];
	const struct process_key key = process_of(judging, thread);
	const uint64_t *pool;

	if (!profile_thread_is_idle(facts))
		return false;
	if (facts->kernel_thread || never_ran(facts))
		return true;
	pool = facts->pooled ? hash_map_find(&judging->pools, &key, sizeof(key)) : NULL;
	return was_woken_by_quiet(judging, facts) && (!facts->pooled || (pool && *pool >= POOL));
}

int profile_idle_tasks(struct profile *profile, uint32_t **ret_idle)
{
	const struct profile_thread_facts *known = profile_facts(profile);
	_cleanup_(judging_deinit) struct judging judging = {0};
	_cleanup_free_ uint32_t *idle = NULL;
	int r;

	judging.tasks = profile_tasks(profile, &judging.count);
	judging.facts = calloc(judging.count + 1, sizeof(*judging.facts));
	judging.thread_of = calloc(judging.count + 1, sizeof(*judging.thread_of));
	idle = calloc(judging.count + 1, sizeof(*idle));
	r = judging.facts && judging.thread_of && idle ? 0 : -ENOMEM;
	if (!r && known && judging.count)
		memcpy(judging.facts, known, judging.count * sizeof(*judging.facts));
	if (!r)
		r = merge_threads(&judging);
	if (!r)
		r = count_pools(&judging);
	if (r < 0)
		return r;
	for (size_t i = 0; i < judging.count; i++)
		idle[i] = is_idle(&judging, judging.thread_of[i]) ? judging.thread_of[i] : PROFILE_NO_TASK;
	*ret_idle = steal_ptr(idle);
	return 0;
}
