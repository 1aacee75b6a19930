/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/tables/profile_settle.h"

#include <string.h>

#include "common/cleanup.h"
#include "report/profile/seam/profile_idle.h"
#include "report/profile/tables/profile_intern.h"
#include "report/profile/tables/profile_waits.h"

/* --- what is noted --- */

bool profile_wants_facts(const struct profile *profile)
{
	return profile->filter->idle_apart || profile->filter->everyone;
}

/* Facts are by task. */
static int make_room(struct profile *profile)
{
	size_t before = profile->facts.count, tasks = profile->tasks.count;

	if (array_reserve(&profile->facts, tasks) < 0)
		return -ENOMEM;
	if (tasks > before)
		memset(profile->facts.items + before, 0, (tasks - before) * sizeof(*profile->facts.items));
	profile->facts.count = tasks;
	return 0;
}

int profile_note_wait(struct profile *profile, const struct profile_wait *wait)
{
	int r = make_room(profile);
	const struct profile_facts_ground ground = {profile->facts.items, profile->tasks.items,
						    profile->objects.items, profile->operations.items};

	if (!r)
		profile_facts_add_wait(&ground, wait);
	return r;
}

int profile_note_sums(struct profile *profile, const struct profile_task_sums *sums)
{
	int r = make_room(profile);

	if (!r)
		profile_facts_add_sums(profile->facts.items, sums);
	return r;
}

const struct profile_thread_facts *profile_facts(struct profile *profile)
{
	return profile->facts.count == profile->tasks.count ? profile->facts.items : NULL;
}

struct profile_idle_left profile_idle_left(const struct profile *profile)
{
	return profile->idle_left;
}

/* --- idle threads --- */

static bool is_idle(const struct profile *profile, uint32_t task)
{
	return profile->idle && profile->idle[task] != PROFILE_NO_TASK;
}

/* A report about nothing but idle threads would be empty: then they are what was asked for. */
static bool are_all_idle(const struct profile *profile)
{
	for (size_t i = 0; i < profile->waits.count; i++)
		if (!(profile->waits.items[i].flags & PROFILE_WAIT_UNASKED) &&
		    !is_idle(profile, profile->waits.items[i].task))
			return false;
	return true;
}

static int find_idle(struct profile *profile)
{
	bool noted = profile->waits.count || profile->facts.count;
	int r = noted && profile_wants_facts(profile) ? make_room(profile) : 0;

	if (!r && profile->filter->idle_apart && profile->waits.count)
		r = profile_idle_tasks(profile, &profile->idle);
	if (r < 0 || !are_all_idle(profile))
		return r;
	free(profile->idle);
	profile->idle = NULL;
	return 0;
}

static int mark_idle(struct profile *profile)
{
	_cleanup_free_ bool *counted = calloc(profile->tasks.count + 1, sizeof(*counted));

	if (!counted)
		return -ENOMEM;
	for (size_t i = 0; i < profile->waits.count; i++) {
		struct profile_wait *wait = &profile->waits.items[i];

		if (!is_idle(profile, wait->task))
			continue;
		wait->flags |= PROFILE_WAIT_IDLE;
		if (wait->flags & PROFILE_WAIT_UNASKED)
			continue;
		profile->idle_left.weight += wait->weight;
		profile->idle_left.threads += !counted[profile->idle[wait->task]];
		counted[profile->idle[wait->task]] = true;
	}
	return 0;
}

static void drop_idle(struct profile *profile)
{
	size_t waits = 0, sums = 0;

	for (size_t i = 0; i < profile->waits.count; i++)
		if (!(profile->waits.items[i].flags & PROFILE_WAIT_IDLE))
			profile->waits.items[waits++] = profile->waits.items[i];
	for (size_t i = 0; i < profile->sums.count; i++)
		if (!is_idle(profile, profile->sums.items[i].task))
			profile->sums.items[sums++] = profile->sums.items[i];
	profile->waits.count = waits;
	profile->sums.count = sums;
}

/* --- entries --- */

static int add_entry(struct profile *profile, const struct profile_entry *entry)
{
	profile->sources.items[entry->source].samples++;
	profile->sources.items[entry->source].weight += entry->weight;
	return profile_add_entry(profile, entry);
}

/* The part of the weight that is in the second half of what was requested. */
static uint64_t late_weight(const struct profile *profile, const struct profile_wait *wait)
{
	const struct recording_notes *notes = &profile->recording_notes.items[wait->recording];
	uint64_t middle = notes->from + (notes->to > notes->from ? (notes->to - notes->from) / 2 : 0);
	uint64_t from = wait->out > middle ? wait->out : middle, to = wait->in < notes->to ? wait->in : notes->to;
	uint64_t late = to > from ? to - from : 0;

	return late < wait->weight ? late : wait->weight;
}

/* A wait is counted in the half in which it ended, but its time is split between both. */
static int add_halves(struct profile *profile, const struct profile_wait *wait, struct profile_entry *entry)
{
	struct profile_entry early = *entry;
	uint64_t late = late_weight(profile, wait);

	if (!late)
		return profile_add_entry(profile, entry);
	entry->flags |= CHAIN_LATE;
	entry->weight = late;
	entry->run_queue = early.run_queue < late ? early.run_queue : late;
	early.samples = 0;
	early.weight -= late;
	early.run_queue -= entry->run_queue;
	return profile_add_entry(profile, entry) < 0 || (early.weight && profile_add_entry(profile, &early) < 0) ?
		       -ENOMEM : 0;
}

static int add_wait(struct profile *profile, const struct profile_wait *wait)
{
	struct profile_entry entry = {.source = wait->source,
				      .node = wait->node,
				      .task = wait->task,
				      .flags = (uint16_t)wait->chain_flags,
				      .cpu = profile->filter->each_cpu ? wait->in_cpu : PROFILE_NO_CPU,
				      .samples = 1,
				      .weight = wait->weight,
				      .run_queue = profile_run_queue_weight(wait)};

	if (!profile->filter->each_half)
		return add_entry(profile, &entry);
	profile->sources.items[entry.source].samples++;
	profile->sources.items[entry.source].weight += entry.weight;
	return add_halves(profile, wait, &entry);
}

/* The CPU of the waker was not recorded. */
static int add_wakeup(struct profile *profile, const struct profile_wait *wait)
{
	uint32_t source = profile->recording_notes.items[wait->recording].wakers;

	if (source == NO_NUMBER || wait->waker == PROFILE_NO_TASK)
		return 0;
	return add_entry(profile, &(struct profile_entry){
					  .source = source,
					  .node = wait->waker_node,
					  .task = wait->waker,
					  .flags = (uint16_t)(profile->filter->each_half && late_weight(profile, wait) ?
								      CHAIN_LATE : 0),
					  .cpu = PROFILE_NO_CPU,
					  .samples = 1,
					  .weight = profile_waker_weight(wait),
				  });
}

int profile_settle_walks(struct profile *profile)
{
	int r = 0;

	for (size_t i = 0; i < profile->walk_tasks.count && !r; i++) {
		const struct profile_walk_task *row = &profile->walk_tasks.items[i];

		if (row->source != PROFILE_NO_SOURCE)
			r = add_entry(profile, &(struct profile_entry){
						       .source = row->source, .node = row->node, .task = row->task,
						       .flags = (uint16_t)row->flags, .cpu = PROFILE_NO_CPU,
						       .samples = 1, .weight = 1});
	}
	return r;
}

int profile_settle_waits(struct profile *profile)
{
	int r = find_idle(profile);

	if (!r && profile->idle)
		r = mark_idle(profile);
	if (!r && profile->idle && !profile->filter->everyone)
		drop_idle(profile);
	for (size_t i = 0; i < profile->waits.count && !r; i++) {
		const struct profile_wait *wait = &profile->waits.items[i];

		if (wait->flags & PROFILE_WAIT_BESIDE)
			continue;
		r = profile->waits_hidden ? 0 : add_wait(profile, wait);
		if (!r)
			r = add_wakeup(profile, wait);
	}
	return r;
}
