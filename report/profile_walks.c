/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <string.h>

#include "report/profile_internal.h"
#include "report/profile_section.h"
#include "report/profile_state.h"
#include "report/profile_unwind.h"

/* Rows belong to the latest walk, or, where chunks overlap, to one shortly before. */
enum { WALKS_BACK = 64 };

static const struct source_binding *walk_source(const struct section *section, uint32_t id)
{
	const struct source_binding *source = section_source(section, id);

	for (size_t i = 0; i < section->sources.count && !source; i++)
		if (section->sources.items[i].kind == PROFILE_TASKS)
			source = &section->sources.items[i];
	return source;
}

static uint32_t find_walk(const struct section *section, uint32_t number)
{
	const struct profile *profile = section->context.profile;

	if (section->walk.number == number && number)
		return section->walk.walk;
	for (size_t i = profile->walks.count, back = 0; i > section->first_walk && back < WALKS_BACK; i--, back++)
		if (profile->walks.items[i - 1].number == number)
			return (uint32_t)(i - 1);
	return NO_NUMBER;
}

/* A walk whose beginning was lost begins with what is there of it. */
static int begin_walk(struct section *section, uint32_t number, uint64_t time, uint32_t *ret_walk)
{
	struct profile *profile = section->context.profile;
	struct profile_walk walk = {.host = section->context.host,
				    .number = number,
				    .time = time,
				    .realtime = trace_model_realtime(section->context.model, time)};
	uint32_t known = find_walk(section, number);

	if (known == NO_NUMBER) {
		if (profile->walks.count >= NO_NUMBER - 1 || array_push(&profile->walks, walk) < 0)
			return -ENOMEM;
		known = (uint32_t)(profile->walks.count - 1);
	}
	section->walk.number = number;
	section->walk.walk = known;
	*ret_walk = known;
	return 0;
}

int section_add_walk(struct section *section, const struct event_walk *event)
{
	struct profile_walk *walk;
	uint32_t number;
	int r;

	if (event->time < section->from || event->time > section->to)
		return 0;
	r = begin_walk(section, event->number, event->time, &number);
	if (r < 0)
		return r;
	section->walk.source = event->source;
	walk = &section->context.profile->walks.items[number];
	if (event->flags & WALK_END) {
		walk->seen = event->seen;
		walk->kept = event->kept;
	}
	return 0;
}

static bool is_wanted(const struct profile_filter *filter, const struct profile_walk_task *row)
{
	if (filter->min_wait && (row->bound == PROFILE_WAIT_NONE || row->wait < filter->min_wait))
		return false;
	return !filter->states || profile_state_matches(row->state, filter->states);
}

static void fill_row(const struct event_walk_task *event, struct profile_walk_task *row)
{
	static const enum profile_wait_bound bounds[] = {
		[WAIT_EXACT] = PROFILE_WAIT_EXACT,
		[WAIT_AT_LEAST] = PROFILE_WAIT_AT_LEAST,
		[WAIT_AT_MOST] = PROFILE_WAIT_AT_MOST,
		[WAIT_NONE] = PROFILE_WAIT_NONE,
	};

	*row = (struct profile_walk_task){
		.wait = event->wait,
		.bound = event->bound < sizeof(bounds) / sizeof(bounds[0]) && event->bound ? bounds[event->bound] :
											     PROFILE_WAIT_NONE,
		.cpu = event->cpu,
		.on_cpu = event->flags & WALK_TASK_ON_CPU,
		.iowait = event->flags & WALK_TASK_IOWAIT,
		.queued = event->flags & WALK_TASK_QUEUED,
		.flags = event->flags & WALK_TASK_KERNEL_TRUNCATED ? CHAIN_KERNEL_TRUNCATED : 0,
	};
	profile_state_text(event->state, event->exit_state, row->state);
}

/* NULL where the walk itself says it: the task was on a CPU. */
static const char *note_missing(struct profile_quality *quality, uint64_t missing, bool on_cpu)
{
	switch (missing) {
	case USER_MISSING_KERNEL_THREAD:
		return NULL;
	case USER_MISSING_EXITING:
		quality->user_exiting++;
		return "the task was exiting";
	case USER_MISSING_NO_ROOM:
		quality->user_no_room++;
		return "there was no room for it";
	case USER_MISSING_BUSY:
		quality->user_busy++;
		return "its memory was locked";
	case USER_MISSING_RUNNING:
		quality->user_ran += !on_cpu;
		return on_cpu ? NULL : "the task ran before it was copied";
	case USER_MISSING_REFUSED:
		quality->user_refused++;
		return "the kernel does not let it be copied";
	default:
		quality->user_fault++;
		return "its memory could not be read";
	}
}

static int make_user(struct section *section, const struct event_walk_task *event, const struct task_place *task,
		     struct profile_walk_task *row)
{
	const uint64_t asked = WALK_TASK_HAS_USER | WALK_TASK_HAS_SNAPSHOT | WALK_TASK_USER_MISSING;
	struct profile *profile = section->context.profile;
	struct profile_quality *quality = &profile->quality;
	struct user_chain user = {.known = true};
	int r;

	if (profile->filter->kernel_only || !(event->flags & asked))
		return 0;
	r = chain_user_of(&section->context, task->process, event->flags & WALK_TASK_HAS_USER ? event->user : 0,
			  event->flags & WALK_TASK_HAS_SNAPSHOT ? event->snapshot : 0, &user);
	quality->samples++;
	quality->trimmed += user.trimmed;
	quality->no_maps += !user.known;
	if (event->flags & WALK_TASK_USER_TRUNCATED && !user.verdict.unwound) {
		quality->user_truncated++;
		row->flags |= CHAIN_USER_TRUNCATED;
	}
	if (event->flags & WALK_TASK_USER_MISSING && !user.node)
		row->no_user = note_missing(quality, event->missing, row->on_cpu);
	if (row->no_user)
		row->flags |= CHAIN_USER_MISSING;
	row->node = user.node;
	return r;
}

static int add_row(struct section *section, const struct event_walk_task *event, const struct task_place *task,
		   struct profile_walk_task *row)
{
	struct profile *profile = section->context.profile;
	const struct source_binding *source = walk_source(section, section->walk.source);
	struct profile_entry entry = {.node = 0, .task = row->task, .samples = 1, .weight = 1};
	bool stripped = false;
	int r = begin_walk(section, event->walk, event->time, &row->walk);

	if (r == 0)
		r = make_user(section, event, task, row);
	if (r == 0 && event->kernel >= STACK_FIRST_NODE && !profile->filter->user_only)
		r = chain_kernel(&section->context, row->node, event->kernel, &row->node, &stripped);
	if (r == 0)
		r = array_push(&profile->walk_tasks, *row);
	if (r < 0 || !source || !source->wanted)
		return r;
	profile->quality.stripped += stripped;
	profile->sources.items[source->source].samples++;
	profile->sources.items[source->source].weight++;
	entry.source = source->source;
	entry.node = row->node;
	entry.flags = row->flags;
	return profile_add_entry(profile, &entry);
}

int section_add_walk_task(struct section *section, const struct stream_event *event)
{
	const struct event_walk_task *record = &event->batch->walk_tasks.items[event->event->index];
	const struct profile_filter *filter = section->context.profile->filter;
	const struct task_place *task;
	struct profile_walk_task row;
	struct section_slot *slot;
	int r;

	if ((filter->sources && !(filter->sources >> PROFILE_TASKS & 1)) ||
	    !section_wants(section, event->event->time, record->cpu))
		return 0;
	r = section_slot(section, event, &slot);
	if (r == 0)
		r = section_task(section, slot, event, record->task, &task);
	if (r < 0 || !task || !task->wanted)
		return r;
	fill_row(record, &row);
	row.task = task->task;
	section->context.strip_entry = false;
	section->context.traced = NULL;
	return is_wanted(filter, &row) ? add_row(section, record, task, &row) : 0;
}
