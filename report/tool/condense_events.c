/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>

#include "common/cleanup.h"
#include "report/read/event_stream.h"
#include "report/read/progress.h"
#include "report/tool/condense_parts.h"

/* --- stacks --- */

/* Leaf first, from the leaf to the root; a path is never longer than `room`, says the decoder. */
static uint32_t take_path(const struct chain_context *context, uint32_t leaf, uint64_t *frames, uint32_t room)
{
	uint32_t count = 0;

	for (; leaf >= STACK_FIRST_NODE && count < room; leaf = context->nodes[leaf].parent)
		frames[count++] = context->nodes[leaf].address;
	return count;
}

struct user_part { /* of an event: where its user stack is, and what is said of it */
	uint32_t leaf, *snapshot;
	uint64_t *flags, truncated; /* the flag that says that it was cut */
	uint64_t *missing;
};

static int keep_chain(struct condensing *condensing, uint32_t process, const struct unwind_chain *chain,
		      const struct user_part *user, struct event_stacks *stacks)
{
	bool cut;

	stacks->user_count = (uint32_t)chain_write_marks(chain, condensing->user, &cut);
	*user->snapshot = 0;
	*user->flags &= ~user->truncated;
	*user->missing = 0;
	condensing->counts.unwound++;
	condensing->counts.cut += cut;
	return condense_note_missing(condensing, process, chain);
}

/* Where there is no snapshot (any more), what the frame pointers told stays, and the reference, which tells of the loss. */
static int take_stacks(struct condensing *condensing, const struct event_task *task, uint32_t kernel,
		       const struct user_part *user, struct event_stacks *stacks)
{
	const struct unwind_chain *chain;
	uint32_t process;
	int r;

	*stacks = (struct event_stacks){.kernel = condensing->kernel, .user = condensing->user};
	stacks->kernel_count = take_path(&condensing->context, kernel, condensing->kernel, RWK_MAX_FRAMES);
	r = timeline_process(&condensing->model->timeline, task->tgid, &process);
	if (r == 0)
		r = profile_unwinding_run(&condensing->context, process, user->leaf, *user->snapshot, &chain);
	if (r > 0)
		return keep_chain(condensing, process, chain, user, stacks);
	condensing->counts.snapshots_missing += *user->snapshot != 0;
	stacks->user_count = take_path(&condensing->context, user->leaf, condensing->user, RWK_MAX_PATH);
	return r;
}

/* --- one function a kind of event --- */

static const struct event_task *task_of(const struct stream_event *event, uint32_t number)
{
	return event_decoder_task(event->batch->decoder, number);
}

static int put_sample(struct condensing *condensing, const struct stream_event *event)
{
	const struct batch_sample *given = &event->batch->samples.items[event->event->index];
	const struct event_task *task = task_of(event, given->task);
	struct event_sample sample = {
		.time = event->event->time,
		.cpu = given->cpu,
		.source = given->source,
		.flags = given->flags,
		.missing = given->flags & SAMPLE_USER_MISSING ? given->missing : 0,
		.period = given->period,
		.probe = given->probe,
		.snapshot = given->snapshot,
	};
	const struct user_part user = {given->user, &sample.snapshot, &sample.flags, SAMPLE_USER_TRUNCATED, &sample.missing};
	struct event_stacks stacks;
	int r = task ? take_stacks(condensing, task, given->kernel, &user, &stacks) : -EINVAL;

	return r < 0 ? r : event_log_add_sample(condensing->log, &sample, task, &stacks);
}

static int put_walk(struct condensing *condensing, const struct stream_event *event)
{
	const struct event walk = {.kind = EVENT_WALK, .walk = event->batch->walks.items[event->event->index]};

	return event_log_add(condensing->log, &walk);
}

static int put_walk_task(struct condensing *condensing, const struct stream_event *event)
{
	struct event_walk_task row = event->batch->walk_tasks.items[event->event->index];
	const struct event_task *task = task_of(event, row.task);
	const struct user_part user = {row.user, &row.snapshot, &row.flags, WALK_TASK_USER_TRUNCATED, &row.missing};
	struct event_stacks stacks;
	int r = task ? take_stacks(condensing, task, row.kernel, &user, &stacks) : -EINVAL;

	return r < 0 ? r : event_log_add_walk_task(condensing->log, &row, task, &stacks);
}

static int put_wait(struct condensing *condensing, const struct stream_event *event)
{
	struct event_wait wait = event->batch->waits.items[event->event->index];
	const struct event_task *task = task_of(event, wait.task), *waker = task_of(event, wait.waker);
	const struct user_part user = {wait.user, &wait.snapshot, &wait.flags, WAIT_USER_TRUNCATED, &wait.missing};
	struct event_stacks stacks;
	int r = task ? take_stacks(condensing, task, wait.kernel, &user, &stacks) : -EINVAL;

	if (!waker)
		wait.context = WAKER_NONE;
	return r < 0 ? r : event_log_add_wait(condensing->log, &wait, task, waker, &stacks);
}

static int put_wake(struct condensing *condensing, const struct stream_event *event)
{
	struct event_wake wake = event->batch->wakes.items[event->event->index];
	const struct event_task *task = task_of(event, wake.task), *target = task_of(event, wake.target);
	const struct user_part user = {wake.user, &wake.snapshot, &wake.flags, SAMPLE_USER_TRUNCATED, &wake.missing};
	struct event_stacks stacks;
	int r = task && target ? take_stacks(condensing, task, wake.kernel, &user, &stacks) : -EINVAL;

	return r < 0 ? r : event_log_add_wake(condensing->log, &wake, task, target, &stacks);
}

static int put_user_stack(struct condensing *condensing, const struct stream_event *event)
{
	struct event_user_stack record = event->batch->user_stacks.items[event->event->index];
	const struct event_task *task = task_of(event, record.task);
	const struct user_part user = {record.user, &record.snapshot, &record.flags, SAMPLE_USER_TRUNCATED, &record.missing};
	struct event_stacks stacks;
	int r = task ? take_stacks(condensing, task, STACK_KERNEL_ROOT, &user, &stacks) : -EINVAL;

	return r < 0 ? r : event_log_add_user_stack(condensing->log, &record, task, &stacks);
}

static int put_wait_sums(struct condensing *condensing, const struct stream_event *event)
{
	struct event_wait_sums sums = event->batch->wait_sums.items[event->event->index];
	const struct event_task *task = task_of(event, sums.task);

	return task ? event_log_add_wait_sums(condensing->log, &sums, task) : -EINVAL;
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
		if (r == 0)
			r = put(condensing, &event);
		if (r < 0)
			break;
	}
	add_totals(condensing, stream);
	condensing->profile->reading.done += event_stream_done(stream);
	event_stream_destroy(stream);
	return r;
}
