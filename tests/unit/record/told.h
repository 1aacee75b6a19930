/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Events written to a log, each with the task and the stacks to which its numbers refer in its chunk. */
#pragma once

#include "format/event_decoder.h"

enum { TOLD_FRAMES = 8 };

struct told { /* an event, and what its numbers refer to */
	struct event event;
	struct event_task task, other; /* other: a wait's waker, a wakeup's target, a lock's owner */
	uint64_t kernel[TOLD_FRAMES], user[TOLD_FRAMES]; /* leaf first */
	uint32_t kernel_count, user_count;
};

static inline uint32_t told_stack(const struct event_decoder *decoder, uint32_t leaf, uint64_t *frames)
{
	size_t nodes;
	const struct stack_node *all = event_decoder_nodes(decoder, &nodes);
	uint32_t count = 0;

	for (; leaf >= STACK_FIRST_NODE && leaf < nodes && count < TOLD_FRAMES; leaf = all[leaf].parent)
		frames[count++] = all[leaf].address;
	return count;
}

static inline struct event_task told_task(const struct event_decoder *decoder, uint32_t number)
{
	const struct event_task *task = number ? event_decoder_task(decoder, number) : NULL;

	return task ? *task : (struct event_task){0};
}

static inline void told_name(struct told *told, const struct event_decoder *decoder, uint32_t task, uint32_t other,
			     uint32_t kernel, uint32_t user)
{
	told->task = told_task(decoder, task);
	told->other = told_task(decoder, other);
	told->kernel_count = told_stack(decoder, kernel, told->kernel);
	told->user_count = told_stack(decoder, user, told->user);
}

static inline struct told told_make(const struct event_decoder *decoder, const struct event *event)
{
	struct told made = {.event = *event};

	if (event->kind == EVENT_SAMPLE)
		told_name(&made, decoder, event->sample.task, 0, event->sample.kernel, event->sample.user);
	else if (event->kind == EVENT_WAIT)
		told_name(&made, decoder, event->wait.task, event->wait.waker, event->wait.kernel, event->wait.user);
	else if (event->kind == EVENT_WAKE)
		told_name(&made, decoder, event->wake.task, event->wake.target, event->wake.kernel, event->wake.user);
	else if (event->kind == EVENT_USER_STACK)
		told_name(&made, decoder, event->user_stack.task, 0, 0, event->user_stack.user);
	else if (event->kind == EVENT_WALK_TASK)
		told_name(&made, decoder, event->walk_task.task, event->walk_task.owner, event->walk_task.kernel,
			  event->walk_task.user);
	else if (event->kind == EVENT_WAIT_SUMS)
		told_name(&made, decoder, event->wait_sums.task, 0, 0, 0);
	return made;
}
