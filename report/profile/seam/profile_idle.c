/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/seam/profile_idle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/hash_map.h"

enum { BUSY_SHARE = 100 }; /* of a thread's time, one part in that many: more is work */

struct thread_key { /* without padding */
	uint64_t start;
	uint32_t host, tid;
};

static uint64_t add(uint64_t left, uint64_t right)
{
	uint64_t sum;

	return __builtin_add_overflow(left, right, &sum) ? UINT64_MAX : sum;
}

/* --- what is known --- */

static void add_waker(struct profile_thread_facts *facts, const struct profile_task *tasks,
		      const struct profile_wait *wait, bool in_d)
{
	bool called = wait->waker_context == PROFILE_WAKER_TASK || wait->waker_context == PROFILE_WAKER_UNKNOWN;

	if (called && wait->waker != PROFILE_NO_TASK && (in_d || !tasks[wait->task].kernel_thread))
		facts[wait->waker].waker = true;
}

void profile_facts_add_wait(struct profile_thread_facts *facts, const struct profile_task *tasks,
			    const struct profile_wait *wait)
{
	const uint8_t whole = PROFILE_WAIT_BEGAN_BEFORE | PROFILE_WAIT_NOT_ENDED;
	struct profile_thread_facts *own = &facts[wait->task];
	uint64_t queued = wait->run_queue < wait->weight ? wait->run_queue : wait->weight;
	char state[24] = "";

	profile_wait_state(wait->state, state);
	own->waits++;
	own->whole += (wait->flags & whole) == whole;
	own->busy = add(own->busy, queued);
	add_waker(facts, tasks, wait, state[0] == 'D');
	if (wait->wait_class != PROFILE_BLOCKED)
		return;
	own->asleep = add(own->asleep, wait->weight - queued);
	if (state[0] != 'S' && state[0] != 'I' && (state[0] != 'P' || !tasks[wait->task].kernel_thread))
		own->held = true;
}

void profile_facts_add_sums(struct profile_thread_facts *facts, const struct profile_task_sums *sums)
{
	struct profile_thread_facts *own = &facts[sums->task];

	own->busy = add(own->busy, sums->running);
	for (size_t i = 0; i < PROFILE_SUM_KINDS; i++) {
		const struct profile_wait_sum *sum = &sums->kinds[i];

		own->briefs = add(own->briefs, sum->count);
		own->busy = add(own->busy, i == PROFILE_SUM_UNINTERRUPTIBLE ? sum->total : sum->run_queue);
	}
}

/* --- the decision --- */

bool profile_thread_is_idle(const struct profile_thread_facts *facts)
{
	if (!facts->waits || facts->held || facts->waker)
		return false;
	if (facts->kernel_thread)
		return facts->busy <= facts->asleep / BUSY_SHARE;
	return facts->waits == facts->whole && !facts->briefs && !facts->busy;
}

static void merge(struct profile_thread_facts *sum, const struct profile_thread_facts *facts)
{
	sum->held |= facts->held;
	sum->waker |= facts->waker;
	sum->waits += facts->waits;
	sum->whole += facts->whole;
	sum->briefs = add(sum->briefs, facts->briefs);
	sum->asleep = add(sum->asleep, facts->asleep);
	sum->busy = add(sum->busy, facts->busy);
}

/* A thread's facts are added up in those of its first task, which becomes the number of all its tasks. */
static int merge_threads(const struct profile_task *tasks, size_t count, struct profile_thread_facts *facts,
			 uint32_t *thread_of)
{
	_cleanup_(hash_map_deinit) struct hash_map known = {0};
	int r = hash_map_init(&known);

	for (size_t i = 0; i < count && !r; i++) {
		const struct thread_key key = {.start = tasks[i].start, .host = tasks[i].host, .tid = tasks[i].tid};
		uint64_t *first;

		if (hash_map_add(&known, &key, sizeof(key), i, &first) < 0)
			return -ENOMEM;
		thread_of[i] = (uint32_t)*first;
		facts[i].kernel_thread = tasks[i].kernel_thread;
		if (*first < i)
			merge(&facts[*first], &facts[i]);
	}
	return r;
}

int profile_idle_tasks(struct profile *profile, uint32_t **ret_idle)
{
	const struct profile_thread_facts *known = profile_facts(profile);
	size_t count;
	const struct profile_task *tasks = profile_tasks(profile, &count);
	_cleanup_free_ struct profile_thread_facts *facts = calloc(count + 1, sizeof(*facts));
	_cleanup_free_ uint32_t *idle = calloc(count + 1, sizeof(*idle));
	int r = facts && idle ? 0 : -ENOMEM;

	if (!r && known && count)
		memcpy(facts, known, count * sizeof(*facts));
	if (!r)
		r = merge_threads(tasks, count, facts, idle);
	if (r < 0)
		return r;
	for (size_t i = 0; i < count; i++)
		idle[i] = profile_thread_is_idle(&facts[idle[i]]) ? idle[i] : PROFILE_NO_TASK;
	*ret_idle = steal_ptr(idle);
	return 0;
}
