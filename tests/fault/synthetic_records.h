/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Whether a record is, field by field, what its step of a made-up recording holds. */
#pragma once

#include "format/event_decoder.h"
#include "tests/fault/synthetic_waits.h"

static inline bool syn_is_stack(const struct event_decoder *decoder, uint32_t leaf,
				const uint64_t *frames, uint32_t count)
{
	size_t node_count;
	const struct stack_node *nodes = event_decoder_nodes(decoder, &node_count);

	if (nodes[leaf].depth != count)
		return false;
	for (uint32_t i = 0; i < count; i++, leaf = nodes[leaf].parent)
		if (nodes[leaf].address != frames[i])
			return false;
	return true;
}

static inline bool syn_are_stacks(const struct event_decoder *decoder, uint32_t kernel, uint32_t user,
				  const struct event_stacks *want)
{
	return syn_is_stack(decoder, kernel, want->kernel, want->kernel_count) &&
	       syn_is_stack(decoder, user, want->user, want->user_count);
}

static inline bool syn_is_task(const struct event_decoder *decoder, uint32_t number, const struct event_task *want)
{
	const struct event_task *got = event_decoder_task(decoder, number);

	return got && got->tgid == want->tgid && got->tid == want->tid && got->start == want->start &&
	       !strcmp(got->comm, want->comm);
}

static inline bool syn_is_sample(const struct event_decoder *decoder, const struct event_sample *got,
				 const struct synthetic *want)
{
	return got->time == want->sample.time && got->cpu == want->sample.cpu && got->source == want->sample.source &&
	       syn_is_task(decoder, got->task, &want->task) &&
	       syn_are_stacks(decoder, got->kernel, got->user, &want->stacks);
}

static inline bool syn_is_wait(const struct event_decoder *decoder, const struct event_wait *got,
			       const struct syn_waits *want)
{
	const struct event_wait *w = &want->wait;
	const uint64_t parts = WAIT_HAS_KERNEL | WAIT_HAS_USER | WAIT_HAS_RUN_QUEUE | WAIT_HAS_WAKER | WAIT_MOVED |
			       WAIT_USER_MISSING | WAIT_HAS_CALL | WAIT_HAS_ASKED | WAIT_HAS_OWNER |
			       WAIT_HAS_READY; /* the encoder sets these */

	return got->cpu == w->cpu && got->source == w->source && got->wait_class == w->wait_class &&
	       got->state == w->state && got->missing == w->missing && got->time == w->time &&
	       got->length == w->length &&
	       got->run_queue == w->run_queue && got->out_cpu == w->out_cpu && got->context == w->context &&
	       got->woken == w->woken && got->call == w->call && got->object == w->object && got->asked == w->asked &&
	       (got->flags & ~parts) == w->flags &&
	       syn_is_task(decoder, got->task, &want->sleeper.task) &&
	       (!w->context || syn_is_task(decoder, got->waker, &want->waker.task)) &&
	       (!w->owner || syn_is_task(decoder, got->owner, &want->waker.task)) && !w->owner == !got->owner &&
	       got->ready == w->ready && got->ready_object == w->ready_object &&
	       syn_are_stacks(decoder, got->kernel, got->user, &want->sleeper.stacks);
}

static inline bool syn_is_wake(const struct event_decoder *decoder, const struct event_wake *got,
			       const struct syn_waits *want)
{
	const struct event_wake *w = &want->wake;

	return got->cpu == w->cpu && got->source == w->source && got->context == w->context && got->time == w->time &&
	       !got->missing && syn_is_task(decoder, got->task, &want->waker.task) &&
	       syn_is_task(decoder, got->target, &want->sleeper.task) &&
	       syn_are_stacks(decoder, got->kernel, got->user, &want->waker.stacks);
}

static inline bool syn_is_user_stack(const struct event_decoder *decoder, const struct event_user_stack *got,
				     const struct syn_waits *want)
{
	const struct event_user_stack *w = &want->user_stack;

	return got->cpu == w->cpu && got->source == w->source && got->missing == w->missing && got->time == w->time &&
	       got->since == w->since && syn_is_task(decoder, got->task, &want->returner.task) &&
	       syn_are_stacks(decoder, STACK_KERNEL_ROOT, got->user, &want->returner.stacks);
}

static inline bool syn_is_sums(const struct event_decoder *decoder, const struct event_wait_sums *got,
			       const struct syn_waits *want)
{
	const struct event_wait_sums *w = &want->sums;
	bool same = got->time == w->time && got->source == w->source && got->span == w->span &&
		    got->running == w->running;

	for (uint32_t i = 0; i < WAIT_SUM_KINDS; i++)
		same = same && got->kinds[i].count == w->kinds[i].count && got->kinds[i].total == w->kinds[i].total &&
		       got->kinds[i].run_queue == w->kinds[i].run_queue;
	return same && syn_is_task(decoder, got->task, &want->sleeper.task);
}
