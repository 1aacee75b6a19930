/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Waits after all sections were read: their order, and their sums. */
#include "report/profile/tables/profile_waits.h"

#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "report/profile/seam/profile_state.h"
#include "report/profile/seam/profile_waits.h"
#include "report/profile/tables/profile_ends.h"
#include "report/profile/tables/profile_held.h"
#include "report/profile/tables/profile_settle.h"

/* A waker's share is the time until its wakeup call; it is not charged with what came after. */
uint64_t profile_waker_weight(const struct profile_wait *wait)
{
	uint64_t blocked = wait->in - wait->out - wait->run_queue;

	return wait->weight < blocked ? wait->weight : blocked;
}

uint64_t profile_run_queue_weight(const struct profile_wait *wait)
{
	return wait->run_queue < wait->weight ? wait->run_queue : wait->weight;
}

/* --- order --- */

static bool comes_before(const struct profile_wait *a, const struct profile_wait *b)
{
	if (a->recording != b->recording)
		return a->recording < b->recording;
	if (a->task != b->task)
		return a->task < b->task;
	return a->out < b->out;
}

static int compare_waits(const void *one, const void *two)
{
	return comes_before(one, two) ? -1 : comes_before(two, one);
}

/*
 * A thread's waits are in the order of their ends, which is also the order of their starts except
 * for a few (one that had not ended is recorded last): these are moved by insertion. If there are
 * many, the whole trace is out of order.
 */
static void straighten(struct profile_wait *waits, size_t count)
{
	enum { STEPS_PER_WAIT = 8 };
	size_t steps = count * STEPS_PER_WAIT;

	for (size_t i = 1; i < count; i++) {
		struct profile_wait wait = waits[i];
		size_t at = i;

		for (; at && comes_before(&wait, &waits[at - 1]) && steps; at--, steps--)
			waits[at] = waits[at - 1];
		waits[at] = wait;
		if (!steps) {
			qsort(waits, count, sizeof(*waits), compare_waits);
			return;
		}
	}
}

int profile_sort_waits(struct profile *profile)
{
	size_t count = profile->waits.count;
	const struct profile_wait *waits = profile->waits.items;
	_cleanup_free_ struct radix_key *keys = calloc(count + 1, sizeof(*keys));
	_cleanup_free_ struct profile_wait *ordered = calloc(count + 1, sizeof(*ordered));
	int r;

	if (!keys || !ordered || count >= NO_NUMBER)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		keys[i] = (struct radix_key){
			.key = (uint64_t)waits[i].recording << 32 | waits[i].task,
			.number = (uint32_t)i,
		};
	r = radix_sort(&keys, count);
	if (r < 0)
		return r;
	for (size_t i = 0; i < count; i++)
		ordered[i] = waits[keys[i].number];
	straighten(ordered, count);
	free(profile->waits.items);
	profile->waits.items = steal_ptr(ordered);
	profile->waits.capacity = count + 1;
	return 0;
}

static int compare_sums(const void *one, const void *two)
{
	const struct profile_task_sums *a = one, *b = two;

	if (a->recording != b->recording)
		return a->recording < b->recording ? -1 : 1;
	return a->task < b->task ? -1 : a->task > b->task;
}

/* --- totals --- */

static void add_total(struct profile_class_total *total, uint64_t count, uint64_t weight, uint64_t run_queue)
{
	total->count += count;
	total->weight += weight;
	total->run_queue += run_queue;
}

static void add_sum(struct profile_class_total *total, const struct profile_wait_sum *sum)
{
	add_total(total, sum->count, sum->total, sum->run_queue);
	total->throttled += sum->throttled;
}

static void add_to_totals(struct profile_wait_totals *totals, const struct profile_wait *wait)
{
	uint64_t run_queue = profile_run_queue_weight(wait);

	add_total(&totals->classes[wait->wait_class], 1, wait->weight, run_queue);
	if (wait->wait_class == WAIT_THROTTLED)
		totals->classes[WAIT_THROTTLED].throttled += wait->weight - run_queue;
	if (wait->flags & (PROFILE_WAIT_BEGAN_BEFORE | PROFILE_WAIT_NOT_ENDED))
		add_total(&totals->open, 1, wait->weight, run_queue);
}

static enum wait_class class_of(enum wait_sum_kind kind)
{
	static const enum wait_class classes[WAIT_SUM_KINDS] = {
		[WAIT_SUM_PREEMPTED] = WAIT_PREEMPTED,
		[WAIT_SUM_YIELDED] = WAIT_YIELDED,
		[WAIT_SUM_CANCELLED] = WAIT_CANCELLED,
		[WAIT_SUM_STARTED] = WAIT_STARTED,
	};

	return classes[kind];
}

/* Sums know only the class and the thread, so they cannot pass filters for anything else. */
static bool sums_are_wanted(const struct profile_filter *filter, size_t kind)
{
	const uint32_t both = PROFILE_WAITS_OPEN | PROFILE_WAITS_ENDED;
	uint32_t classes = filter->classes & ~both;

	if (filter->states || filter->cpus || filter->least_wait || filter->on.passes ||
	    (filter->classes & both) == PROFILE_WAITS_OPEN)
		return false;
	return !classes || (classes >> class_of((enum wait_sum_kind)kind) & 1);
}

static void add_brief(struct profile *profile, struct profile_wait_totals *totals)
{
	for (size_t i = 0; i < profile->sums.count; i++) {
		const struct profile_task_sums *sums = &profile->sums.items[i];

		if (sums->unasked || profile_sums_are_apart(profile, sums))
			continue;
		for (size_t kind = 0; kind < WAIT_SUM_KINDS; kind++)
			if (sums_are_wanted(profile->filter, kind))
				add_sum(&totals->brief, &sums->kinds[kind]);
	}
}

static int make_totals(struct profile *profile)
{
	bool told = false;

	for (size_t i = 0; i < profile->sources.count; i++)
		if (array_push(&profile->wait_totals, (struct profile_wait_totals){0}) < 0)
			return -ENOMEM;
	for (size_t i = 0; i < profile->waits.count && !profile->waits_hidden; i++)
		if (!(profile->waits.items[i].flags & PROFILE_WAIT_BESIDE))
			add_to_totals(&profile->wait_totals.items[profile->waits.items[i].source],
				      &profile->waits.items[i]);
	for (size_t i = 0; i < profile->sources.count; i++) {
		struct profile_wait_totals *totals = &profile->wait_totals.items[i];

		if (profile->sources.items[i].kind != PROFILE_OFFCPU || told)
			continue;
		told = true; /* each recording has one such source; together they are one source of the profile */
		add_brief(profile, totals);
		for (size_t k = 0; k < profile->recordings.count; k++)
			if (profile->recordings.items[k].least_wait > totals->least_wait)
				totals->least_wait = profile->recordings.items[k].least_wait;
	}
	return 0;
}

int profile_order_waits(struct profile *profile, const uint32_t *places)
{
	for (size_t i = 0; i < profile->waits.count; i++)
		profile->waits.items[i].source = places[profile->waits.items[i].source];
	if (profile->sums.count)
		qsort(profile->sums.items, profile->sums.count, sizeof(*profile->sums.items), compare_sums);
	profile->waits_ordered = profile->filter->needs & PROFILE_EACH_EVENT; /* it has lists of positions */
	if (profile->waits_ordered && profile_sort_waits(profile) < 0)
		return -ENOMEM;
	return make_totals(profile);
}

/* --- access --- */

size_t profile_waits(struct profile *profile, const struct profile_wait **ret_waits)
{
	if (!profile->waits_ordered && profile_sort_waits(profile) < 0)
		return SIZE_MAX;
	profile->waits_ordered = true;
	if (!profile->ends_joined && (profile_join_ends(profile) < 0 || profile_judge_owners(profile) < 0))
		return SIZE_MAX;
	profile->ends_joined = true;
	*ret_waits = profile->waits.items;
	return profile->waits_hidden ? 0 : profile->waits.count;
}

size_t profile_task_sums(const struct profile *profile, const struct profile_task_sums **ret_sums)
{
	*ret_sums = profile->sums.items;
	return profile->sums.count;
}

size_t profile_recordings(const struct profile *profile, const struct profile_recording **ret_recordings)
{
	*ret_recordings = profile->recordings.items;
	return profile->recordings.count;
}

const struct profile_wait_totals *profile_wait_totals(const struct profile *profile, uint32_t source)
{
	bool waits = source < profile->sources.count && profile->sources.items[source].kind == PROFILE_OFFCPU;

	return waits ? &profile->wait_totals.items[source] : NULL;
}

void profile_wait_state(uint32_t state, char text[24])
{
	profile_state_text(state, 0, text);
}
