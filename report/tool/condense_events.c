/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>

#include "common/cleanup.h"
#include "report/read/event_stream.h"
#include "report/read/progress.h"
#include "report/tool/condense_parts.h"

/* --- one function per kind of event --- */

static const struct event_task *task_of(const struct stream_event *event, uint32_t number)
{
	return event_decoder_task(event->batch->decoder, number);
}

static int put_sample(struct condensing *condensing, const struct stream_event *event)
{
	const struct batch_sample *given = &event->batch->samples.items[event->event->index];
	const struct event_task *task = task_of(event, given->task);
	struct event out = {.kind = EVENT_SAMPLE, .sample = {
		.time = event->event->time,
		.cpu = given->cpu,
		.source = given->source,
		.flags = given->flags,
		.missing = given->flags & SAMPLE_USER_MISSING ? given->missing : 0,
		.period = given->period,
		.probe = given->probe,
		.snapshot = given->snapshot,
	}};
	const struct condense_user user = {given->user, &out.sample.snapshot, &out.sample.flags,
					   SAMPLE_USER_TRUNCATED, &out.sample.missing};
	struct event_stacks stacks;
	int r = task ? condense_stacks(condensing, task, given->kernel, &user, &stacks) : -EINVAL;

	return r < 0 ? r : condense_write_event(condensing, &out, task, NULL, &stacks);
}

static int put_walk(struct condensing *condensing, const struct stream_event *event)
{
	struct event walk = {.kind = EVENT_WALK, .walk = event->batch->walks.items[event->event->index]};

	return condense_write(condensing, &walk);
}

static int put_walk_task(struct condensing *condensing, const struct stream_event *event)
{
	struct event out = {.kind = EVENT_WALK_TASK, .walk_task = event->batch->walk_tasks.items[event->event->index]};
	struct event_walk_task *row = &out.walk_task;
	const struct event_task *task = task_of(event, row->task), *owner = task_of(event, row->owner);
	const struct condense_user user = {row->user, &row->snapshot, &row->flags, WALK_TASK_USER_TRUNCATED,
					   &row->missing};
	struct event_stacks stacks;
	int r = task ? condense_stacks(condensing, task, row->kernel, &user, &stacks) : -EINVAL;

	row->owner = owner != NULL;
	if (r >= 0)
		r = condense_use_object(condensing, row->object);
	return r < 0 ? r : condense_write_event(condensing, &out, task, (struct event_task[WAIT_OTHERS]){
		[WAIT_OWNER] = owner ? *owner : (struct event_task){0}}, &stacks);
}

static int put_wait(struct condensing *condensing, const struct stream_event *event)
{
	struct event out = {.kind = EVENT_WAIT, .wait = event->batch->waits.items[event->event->index]};
	struct event_wait *wait = &out.wait;
	const struct event_task *task = task_of(event, wait->task), *waker = task_of(event, wait->waker);
	const struct event_task *owner = task_of(event, wait->owner);
	const struct condense_user user = {wait->user, &wait->snapshot, &wait->flags, WAIT_USER_TRUNCATED,
					   &wait->missing};
	struct event_stacks stacks;
	int r = task ? condense_stacks(condensing, task, wait->kernel, &user, &stacks) : -EINVAL;

	if (!waker)
		wait->context = WAKER_NONE;
	wait->owner = owner != NULL;
	if (r >= 0)
		r = condense_use_object(condensing, wait->object);
	if (r >= 0)
		r = condense_use_object(condensing, wait->ready_object);
	if (r >= 0)
		r = condense_use_object(condensing, wait->throttler);
	return r < 0 ? r : condense_write_event(condensing, &out, task, (struct event_task[WAIT_OTHERS]){
		[WAIT_WAKER] = waker ? *waker : (struct event_task){0},
		[WAIT_OWNER] = owner ? *owner : (struct event_task){0}}, &stacks);
}

static int put_wake(struct condensing *condensing, const struct stream_event *event)
{
	struct event out = {.kind = EVENT_WAKE, .wake = event->batch->wakes.items[event->event->index]};
	struct event_wake *wake = &out.wake;
	const struct event_task *task = task_of(event, wake->task), *target = task_of(event, wake->target);
	const struct condense_user user = {wake->user, &wake->snapshot, &wake->flags, SAMPLE_USER_TRUNCATED,
					   &wake->missing};
	struct event_stacks stacks;
	int r = task && target ? condense_stacks(condensing, task, wake->kernel, &user, &stacks) : -EINVAL;

	return r < 0 ? r : condense_write_event(condensing, &out, task, (struct event_task[WAIT_OTHERS]){*target},
						&stacks);
}

static int put_user_stack(struct condensing *condensing, const struct stream_event *event)
{
	struct event out = {.kind = EVENT_USER_STACK,
			    .user_stack = event->batch->user_stacks.items[event->event->index]};
	struct event_user_stack *record = &out.user_stack;
	const struct event_task *task = task_of(event, record->task);
	const struct condense_user user = {record->user, &record->snapshot, &record->flags, SAMPLE_USER_TRUNCATED,
					   &record->missing};
	struct event_stacks stacks;
	int r = task ? condense_stacks(condensing, task, STACK_KERNEL_ROOT, &user, &stacks) : -EINVAL;

	return r < 0 ? r : condense_write_event(condensing, &out, task, NULL, &stacks);
}

static int put_wait_sums(struct condensing *condensing, const struct stream_event *event)
{
	struct event out = {.kind = EVENT_WAIT_SUMS, .wait_sums = event->batch->wait_sums.items[event->event->index]};
	const struct event_task *task = task_of(event, out.wait_sums.task);

	return task ? condense_write_event(condensing, &out, task, NULL, NULL) : -EINVAL;
}

typedef int put_event(struct condensing *condensing, const struct stream_event *event);

static int put(struct condensing *condensing, const struct stream_event *event)
{
	static put_event *const puts[] = {
		[EVENT_SAMPLE] = put_sample,
		[EVENT_WALK] = put_walk,
		[EVENT_WALK_TASK] = put_walk_task,
		[EVENT_WAIT] = put_wait,
		[EVENT_WAKE] = put_wake,
		[EVENT_USER_STACK] = put_user_stack,
		[EVENT_WAIT_SUMS] = put_wait_sums,
	};
	uint32_t kind = event->event->kind;
	size_t count;

	condensing->context.nodes = event_decoder_nodes(event->batch->decoder, &count);
	if (kind >= sizeof(puts) / sizeof(puts[0]) || !puts[kind])
		return condense_taken(condensing, -EINVAL);
	return condense_taken(condensing, puts[kind](condensing, event));
}

/* --- all of them --- */

static void add_totals(struct condensing *condensing, const struct event_stream *stream)
{
	struct stream_totals totals;

	event_stream_totals(stream, &totals);
	condensing->counts.left_out += totals.unknown;
	condensing->counts.malformed += totals.malformed;
	condensing->counts.events_late += totals.out_of_order;
}

static bool is_stopped(const struct condensing *condensing, const struct event_stream *stream)
{
	const struct profile_reading *reading = &condensing->profile->reading;

	return progress_step(condensing->profile->names.progress, "condensing", condensing->file->path,
			     reading->done + event_stream_done(stream), reading->whole);
}

int condense_events(struct condensing *condensing)
{
	struct event_stream *stream;
	struct stream_event event;
	int r = event_stream_create(condensing->file, condensing->model->section, &stream);

	if (r < 0)
		return r;
	while ((r = event_stream_next(stream, &event)) > 0) {
		if (is_stopped(condensing, stream)) {
			r = -ECANCELED;
			break;
		}
		r = timeline_advance(&condensing->model->timeline, event.event->time);
		if (!r)
			r = put(condensing, &event);
		if (r < 0)
			break;
	}
	add_totals(condensing, stream);
	condensing->profile->reading.done += event_stream_done(stream);
	event_stream_destroy(stream);
	return r;
}
