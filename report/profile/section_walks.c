/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <string.h>

#include "report/profile/profile_internal.h"
#include "report/profile/profile_waits.h"
#include "report/read/event_stream.h"

/* --- why user stacks are missing --- */

static const struct {
	const char *text, *brief; /* brief: NULL if the same */
} texts[USER_MISSING_REASONS] = {
	[USER_MISSING_FAULT] = {.text = "its memory could not be read"},
	[USER_MISSING_EXITING] = {.text = "the task was exiting"},
	[USER_MISSING_CHANGED] = {.text = "the thread continued elsewhere (exec)"},
	[USER_MISSING_NOT_TAKEN] = {.text = "it was not taken when the wait began"},
	[USER_MISSING_NOT_RETURNED] = {.text = "the system call had not returned, or its stack was lost"},
	[USER_MISSING_UNSCHEDULED] = {.text = "too many were due at once"},
	[USER_MISSING_NO_ROOM] = {.text = "there was no room to copy that many at once",
				  .brief = "there was no room for it"},
	[USER_MISSING_BUSY] = {.text = "its memory was locked, or took too long to read",
			       .brief = "its memory was locked"},
	[USER_MISSING_RUNNING] = {.text = "the task ran before it was copied"},
	[USER_MISSING_REFUSED] = {.text = "the recording kernel does not let it be copied",
				  .brief = "the kernel does not let it be copied"},
	[USER_MISSING_ABSENT] = {.text = "it was not in memory"},
	[USER_MISSING_SERVED] = {.text = "it was in a file on FUSE or a network file system"},
};

uint8_t missing_user_of(uint64_t reason, bool copied)
{
	if (reason == USER_MISSING_KERNEL_THREAD)
		return USER_MISSING_NONE;
	if (reason == USER_MISSING_NONE || reason > USER_MISSING_SERVED)
		return USER_MISSING_FAULT;
	return reason == USER_MISSING_NO_ROOM && !copied ? USER_MISSING_NOT_TAKEN : (uint8_t)reason;
}

const char *missing_user_text(uint8_t why)
{
	return texts[why].text;
}

static const char *missing_user_brief(uint8_t why)
{
	return texts[why].brief ? texts[why].brief : texts[why].text;
}

/* --- walks --- */

/* Rows belong to the latest walk or, if chunks overlap, to one shortly before it. */
enum { WALKS_BACK = 64 };

static uint32_t find_walk(const struct section *section, uint32_t number)
{
	const struct profile *profile = section->context.profile;

	if (section->walk.number == number && number)
		return section->walk.walk;
	for (size_t i = profile->walks.count, back = 0;
	     i > section->first_walk && back < WALKS_BACK; i--, back++)
		if (profile->walks.items[i - 1].number == number)
			return (uint32_t)(i - 1);
	return NO_NUMBER;
}

/* A walk whose start was lost starts with its first row. */
static int begin_walk(struct section *section, uint32_t number, uint64_t time, uint32_t *ret_walk)
{
	struct profile *profile = section->context.profile;
	struct profile_walk walk = {.host = section->context.host,
				    .scope = section_scope(section),
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

int section_add_walk(struct section *section, const struct stream_event *stream_event)
{
	const struct event_walk *event = &stream_event->batch->walks.items[stream_event->event->index];
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
	if (filter->min_wait && (row->bound == WAIT_NONE || row->wait < filter->min_wait))
		return false;
	return !filter->states || profile_state_matches(row->state, filter->states);
}

static void fill_row(const struct event_walk_task *event, struct profile_walk_task *row)
{
	const bool known = event->bound && event->bound <= WAIT_NONE;

	*row = (struct profile_walk_task){
		.wait = event->wait,
		.bound = known ? (enum wait_bound)event->bound : WAIT_NONE,
		.cpu = event->cpu,
		.on_cpu = event->flags & WALK_TASK_ON_CPU,
		.iowait = event->flags & WALK_TASK_IOWAIT,
		.flags = event->flags & WALK_TASK_KERNEL_TRUNCATED ? CHAIN_KERNEL_TRUNCATED : 0,
	};
	profile_state_text(event->state, event->exit_state, row->state);
}

/* A stack was asked for. Gives no reason for its lack if the walk's own data already does: the task was on a CPU. */
static int read_user(struct section *section, const struct event_walk_task *event,
		     const struct task_binding *task, struct profile_walk_task *row, struct stack *ret_stack)
{
	const bool known = event->missing == USER_MISSING_RUNNING && event->flags & WALK_TASK_ON_CPU;
	const struct stack_record record = {
		.user_truncated = event->flags & WALK_TASK_USER_TRUNCATED,
		.user_missing = event->flags & WALK_TASK_USER_MISSING && !known,
		.copied = true,
		.reason = event->missing,
	};
	int r = stack_user(&section->context, task->process, event->flags & WALK_TASK_HAS_USER ? event->user : 0,
			   event->flags & WALK_TASK_HAS_SNAPSHOT ? event->snapshot : 0, ret_stack);

	if (r < 0)
		return r;
	stack_describe(ret_stack, &record);
	row->flags |= ret_stack->flags;
	row->no_user = missing_user_brief(ret_stack->missing);
	section_count(section, PROFILE_TASKS, event->time, ret_stack);
	return 0;
}

static int bind_object(struct section *section, const struct event_walk_task *record, struct profile_walk_task *row)
{
	const struct event_wait event = {
		.call = record->call, .object = record->object, .asked = record->asked,
		.flags = record->flags & WALK_TASK_FOR_READING ? WAIT_FOR_READING : 0,
	};
	struct profile_wait wait = {.recording = section_scope(section), .held = row->held};
	int r = profile_bind_object(section->context.profile, section->context.model, section->context.host, &event,
				    &wait);

	row->operation = wait.operation;
	row->object = wait.object;
	row->asked = wait.asked;
	row->held = wait.held;
	return r;
}

static int add_row(struct section *section, const struct event_walk_task *event,
		   const struct task_binding *task, struct profile_walk_task *row)
{
	const uint64_t asked = WALK_TASK_HAS_USER | WALK_TASK_HAS_SNAPSHOT | WALK_TASK_USER_MISSING;
	struct profile *profile = section->context.profile;
	const struct source_binding *known = section_source(section, section->walk.source);
	const struct source_binding *source = known ? known : section_source_of(section, PROFILE_TASKS);
	struct stack stack = {0};
	int r = begin_walk(section, event->walk, event->time, &row->walk);

	if (!r && !profile->filter->kernel_only && event->flags & asked)
		r = read_user(section, event, task, row, &stack);
	if (!r)
		r = stack_kernel(&section->context, event->kernel, false, NULL, &stack);
	if (r < 0)
		return r;
	profile->qualities[PROFILE_TASKS].stripped += stack.stripped;
	row->node = stack.node;
	row->source = source && source->wanted ? source->source : PROFILE_NO_SOURCE;
	return array_push(&profile->walk_tasks, *row);
}

int section_add_walk_task(struct section *section, const struct stream_event *event)
{
	const struct event_walk_task *record = &event->batch->walk_tasks.items[event->event->index];
	const struct profile_filter *filter = section->context.profile->filter;
	const struct task_binding *found;
	struct task_binding task; /* a copy: looking up the owner's task may move it */
	struct profile_walk_task row;
	struct section_slot *slot;
	int r;

	if ((filter->sources && !(filter->sources >> PROFILE_TASKS & 1)) ||
	    !section_wants(section, event->event->time, record->cpu))
		return 0;
	r = section_slot(section, event, &slot);
	if (!r)
		r = section_task(section, slot, event, record->task, &found);
	if (r < 0 || !found || !found->wanted)
		return r;
	task = *found;
	fill_row(record, &row);
	row.task = task.task;
	if (!is_wanted(filter, &row))
		return 0;
	r = section_owner(section, slot, event, record->owner, record->flags & WALK_TASK_OWNER_READS,
			  &row.owner, &row.held);
	if (!r)
		r = bind_object(section, record, &row);
	return r < 0 ? r : add_row(section, record, &task, &row);
}
