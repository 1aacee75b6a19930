/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/tables/profile_settle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/profile/seam/profile_apart.h"
#include "report/profile/tables/profile_intern.h"
#include "report/profile/tables/profile_waits.h"

/* --- what is noted --- */

bool profile_notes_kernel_times(const struct profile *profile)
{
	return profile->filter->apart || profile->filter->needs & PROFILE_EVERYONE;
}

/* They are by task. */
static int make_room(struct profile *profile)
{
	size_t before = profile->kernel_times.count, tasks = profile->tasks.count;

	if (array_reserve(&profile->kernel_times, tasks) < 0)
		return -ENOMEM;
	if (tasks > before)
		memset(profile->kernel_times.items + before, 0,
		       (tasks - before) * sizeof(*profile->kernel_times.items));
	profile->kernel_times.count = tasks;
	return 0;
}

static bool is_noted(const struct profile *profile, uint32_t task)
{
	return profile_notes_kernel_times(profile) && profile->tasks.items[task].kernel_thread &&
	       profile->tasks.items[task].tid;
}

int profile_note_wait(struct profile *profile, const struct profile_wait *wait)
{
	const bool own = is_noted(profile, wait->task);
	const bool wakers = !own && wait->waker != PROFILE_NO_TASK && is_noted(profile, wait->waker);
	int r = own || wakers ? make_room(profile) : 0;

	if (!r && own)
		profile_kernel_time_add_wait(&profile->kernel_times.items[wait->task], wait);
	else if (!r && wakers)
		profile_kernel_time_add_wakeup(&profile->kernel_times.items[wait->waker], wait);
	return r;
}

int profile_note_sums(struct profile *profile, const struct profile_task_sums *sums)
{
	int r = is_noted(profile, sums->task) ? make_room(profile) : 0;

	if (!r && is_noted(profile, sums->task))
		profile_kernel_time_add_sums(&profile->kernel_times.items[sums->task], sums);
	return r;
}

/* --- what is set apart --- */

enum profile_apart profile_task_apart(const struct profile *profile, uint32_t task)
{
	if (task < profile->kernel_times.count &&
	    profile_kernel_time_is_nothing_done(&profile->kernel_times.items[task]))
		return PROFILE_NOTHING_DONE;
	return profile->throughout_of && profile->throughout_of[task] ? PROFILE_THROUGHOUT : PROFILE_NOT_APART;
}

struct profile_set_apart profile_set_apart(const struct profile *profile)
{
	return (struct profile_set_apart){profile->throughout.items, profile->throughout.count,
					  profile->kernel_threads_apart};
}

static bool is_apart(const struct profile *profile, const struct profile_wait *wait)
{
	return profile->tasks.items[wait->task].kernel_thread ?
		       profile_task_apart(profile, wait->task) == PROFILE_NOTHING_DONE :
		       profile_wait_is_throughout(profile->tasks.items, wait);
}

/* A report about nothing else would be empty: then they are what was asked for. */
static bool are_all_apart(const struct profile *profile)
{
	for (size_t i = 0; i < profile->waits.count; i++)
		if (!(profile->waits.items[i].flags & PROFILE_WAIT_UNASKED) &&
		    !is_apart(profile, &profile->waits.items[i]))
			return false;
	return true;
}

static int mark_apart(struct profile *profile)
{
	_cleanup_free_ bool *counted = calloc(profile->tasks.count + 1, sizeof(*counted));
	int r = counted ? 0 : -ENOMEM;

	for (size_t i = 0; i < profile->waits.count && !r; i++) {
		struct profile_wait *wait = &profile->waits.items[i];

		if (!is_apart(profile, wait))
			continue;
		wait->flags |= PROFILE_WAIT_APART;
		if (wait->flags & PROFILE_WAIT_UNASKED)
			continue;
		if (!profile->tasks.items[wait->task].kernel_thread)
			r = array_push(&profile->throughout, *wait);
		else
			profile->kernel_threads_apart += !counted[wait->task];
		counted[wait->task] = true;
	}
	return r;
}

/* The sums of a thread that never ran are empty. */
bool profile_sums_are_apart(const struct profile *profile, const struct profile_task_sums *sums)
{
	if (!profile->sets_apart)
		return false;
	return profile_task_apart(profile, sums->task) == PROFILE_NOTHING_DONE ||
	       (profile->throughout_of[sums->task] && !sums->running);
}

static void drop_apart(struct profile *profile)
{
	size_t waits = 0, sums = 0;

	for (size_t i = 0; i < profile->waits.count; i++)
		if (!(profile->waits.items[i].flags & PROFILE_WAIT_APART))
			profile->waits.items[waits++] = profile->waits.items[i];
	for (size_t i = 0; i < profile->sums.count; i++)
		if (!profile_sums_are_apart(profile, &profile->sums.items[i]))
			profile->sums.items[sums++] = profile->sums.items[i];
	profile->waits.count = waits;
	profile->sums.count = sums;
}

static int set_apart(struct profile *profile)
{
	int r;

	if (!profile->waits.count || !profile_notes_kernel_times(profile))
		return 0;
	profile->throughout_of = calloc(profile->tasks.count + 1, sizeof(*profile->throughout_of));
	if (!profile->throughout_of)
		return -ENOMEM;
	for (size_t i = 0; i < profile->waits.count; i++)
		profile->throughout_of[profile->waits.items[i].task] |=
			profile_wait_is_throughout(profile->tasks.items, &profile->waits.items[i]);
	profile->sets_apart = profile->filter->apart && !are_all_apart(profile);
	if (!profile->sets_apart)
		return 0;
	r = mark_apart(profile);
	if (!r && !(profile->filter->needs & PROFILE_EVERYONE))
		drop_apart(profile);
	return r;
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
	entry->throttled = early.throttled ? late - entry->run_queue : 0;
	early.samples = 0;
	early.weight -= late;
	early.run_queue -= entry->run_queue;
	early.throttled -= early.throttled < entry->throttled ? early.throttled : entry->throttled;
	return profile_add_entry(profile, entry) < 0 || (early.weight && profile_add_entry(profile, &early) < 0) ?
		       -ENOMEM : 0;
}

static int add_wait(struct profile *profile, const struct profile_wait *wait)
{
	struct profile_entry entry = {.source = wait->source,
				      .node = wait->node,
				      .task = wait->task,
				      .flags = (uint16_t)wait->chain_flags,
				      .cpu = profile->filter->needs & PROFILE_EACH_CPU ? wait->in_cpu : PROFILE_NO_CPU,
				      .samples = 1,
				      .weight = wait->weight,
				      .run_queue = profile_run_queue_weight(wait)};

	if (wait->wait_class == WAIT_THROTTLED)
		entry.throttled = entry.weight - entry.run_queue;
	if (!(profile->filter->needs & PROFILE_EACH_HALF))
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
					  .flags = (uint16_t)((profile->filter->needs & PROFILE_EACH_HALF) && late_weight(profile, wait) ?
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
	int r = set_apart(profile);

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
