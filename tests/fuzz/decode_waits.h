/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Checks what the decoder's interface promises about stacks, tasks and the records of waits. */
#pragma once

#include <stdlib.h>

#include "format/event_decoder.h"
#include "format/limits.h"

static inline void fuzz_require(int good)
{
	if (!good)
		abort();
}

static inline void fuzz_use_stack(const struct event_decoder *decoder, uint32_t leaf, uint32_t root)
{
	size_t count;
	const struct stack_node *nodes = event_decoder_nodes(decoder, &count);
	uint32_t frames = 0;

	for (fuzz_require(leaf < count); leaf != root; leaf = nodes[leaf].parent, frames++) {
		fuzz_require(leaf >= STACK_FIRST_NODE && nodes[leaf].parent < leaf && nodes[leaf].root == root);
		fuzz_require(frames < (root ? RWK_MAX_FRAMES : RWK_MAX_PATH));
		fuzz_require(nodes[leaf].depth > nodes[nodes[leaf].parent].depth);
	}
}

static inline void fuzz_use_task(const struct event_decoder *decoder, uint32_t number)
{
	fuzz_require(!number || event_decoder_task(decoder, number));
}

static inline void fuzz_use_wait(const struct event_decoder *decoder, const struct event_wait *wait)
{
	fuzz_use_stack(decoder, wait->kernel, STACK_KERNEL_ROOT);
	fuzz_use_stack(decoder, wait->user, STACK_USER_ROOT);
	fuzz_use_task(decoder, wait->task);
	fuzz_use_task(decoder, wait->waker);
	fuzz_require(wait->cpu < RWK_MAX_CPUS && wait->out_cpu < RWK_MAX_CPUS && wait->length <= wait->time);
	fuzz_require(wait->flags & WAIT_HAS_WAKER || (!wait->context && !wait->waker && !wait->woken));
	fuzz_require(wait->flags & WAIT_HAS_RUN_QUEUE || wait->run_queue <= wait->length);
}

/* Records of waits, all of which refer to tasks and stacks. */
static inline void fuzz_use_waits(const struct event_decoder *decoder, const struct event *event)
{
	switch (event->kind) {
	case EVENT_WAIT:
		fuzz_use_wait(decoder, &event->wait);
		break;
	case EVENT_WAKE:
		fuzz_use_stack(decoder, event->wake.kernel, STACK_KERNEL_ROOT);
		fuzz_use_stack(decoder, event->wake.user, STACK_USER_ROOT);
		fuzz_use_task(decoder, event->wake.task);
		fuzz_use_task(decoder, event->wake.target);
		fuzz_require(event->wake.cpu < RWK_MAX_CPUS);
		break;
	case EVENT_USER_STACK:
		fuzz_use_stack(decoder, event->user_stack.user, STACK_USER_ROOT);
		fuzz_use_task(decoder, event->user_stack.task);
		fuzz_require(event->user_stack.cpu < RWK_MAX_CPUS);
		break;
	case EVENT_WAIT_SUMS:
		fuzz_use_task(decoder, event->wait_sums.task);
		break;
	default:
		break;
	}
}
