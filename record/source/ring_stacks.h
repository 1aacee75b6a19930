/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The stacks of a ring's record as the trace has them: kernel frames by module, and user frames up
 * to the first that is not code of its process (hits_code).
 */
#ifndef RWALKER_RECORD_SOURCE_RING_STACKS_H
#define RWALKER_RECORD_SOURCE_RING_STACKS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "bpf/ring.h"
#include "format/event_encoder.h"
#include "record/place/hits.h"
#include "record/place/kernel_map.h"
#include "record/plan/recording.h"
#include "record/source/walk_users.h"

struct ring_user { /* stack: its frames, leaf first and borrowed, and behind them a struct ring_top of `top` words */
	const uint64_t *frames;
	uint32_t count, top, source;
	bool copied; /* its memory is in the trace, too, and reports unwind that: it lacks nothing where it is cut */
};

static inline void ring_stacks_count_cut(struct recording *recording, uint32_t source, uint64_t generation)
{
	struct stack_cuts *cuts = &recording->cuts[source < EVENT_LOG_SOURCES ? source : 0];

	if (generation)
		cuts->astray++;
	else
		cuts->unknown++;
}

/* The words of a record's struct ring_top. */
static inline uint32_t ring_stacks_top(uint32_t flags)
{
	uint32_t words = flags >> RING_SAMPLE_TOP_SHIFT;

	return words >= RING_TOP_HEAD && words <= RING_TOP_HEAD + RING_TOP_WORDS ? words : 0;
}

/*
 * Sets the user part: those of the frames that are code, and of the words at the stack's top those that are addresses
 * of code. Nothing else of a program's memory gets into the trace.
 */
static inline void ring_stacks_user(struct recording *recording, const struct ring_task *task,
				    const struct ring_user *user, struct event_stacks *stacks)
{
	stacks->user = user->frames;
	stacks->user_count = stacks->user_words = 0;
	if (!user->count)
		return;
	stacks->user_owner = hits_generation(recording->hits, task->tgid);
	stacks->user_count =
		hits_code(recording->hits, task->tgid, stacks->user_owner, user->frames, user->count);
	if (stacks->user_count < user->count && !user->copied)
		ring_stacks_count_cut(recording, user->source, stacks->user_owner);
	if (user->top && stacks->user_owner)
		stack_words_add(recording, task->tgid, (const void *)(user->frames + user->count), user->top, stacks);
}

/* frames: kernel frames, then user frames (user->frames is not used); borrowed at least until the next call. */
static inline struct event_stacks ring_stacks_take(struct recording *recording, const struct ring_task *task,
						   const uint64_t *frames, uint32_t kernel_count,
						   const struct ring_user *user)
{
	const struct ring_user behind = {.frames = frames + kernel_count, .count = user->count, .top = user->top,
					 .source = user->source, .copied = user->copied};
	struct kernel_chain kernel = kernel_chains_take(recording->kernel_chains, frames, kernel_count);
	struct event_stacks stacks = {
		.kernel = kernel.frames,
		.kernel_callers = kernel.callers,
		.kernel_count = kernel_count,
	};

	ring_stacks_user(recording, task, &behind, &stacks);
	return stacks;
}

/* enum source_flag: which stacks were wanted. */
static inline uint64_t ring_stacks_source_flags(const struct record_config *config)
{
	return (config->user_stacks ? SOURCE_USER_STACKS : 0) | (config->snapshots ? SOURCE_SNAPSHOTS : 0);
}

/* Called after the record was added. known: the chunk already has the user stack's callers for the same owner. */
static inline void ring_stacks_mark(const struct recording *recording, const struct ring_task *task,
				    const struct event_stacks *stacks, bool known)
{
	if (stacks->user_count)
		hits_mark(recording->hits, task->tgid, stacks->user_owner, stacks->user,
			  known ? 1 : stacks->user_count);
}

/*
 * enum ring_sample_flag to enum sample_flag; the encoder sets the others. A user stack of
 * user_count frames counts as complete if only noise was beyond the depth limit.
 */
static inline uint64_t ring_stacks_flags(uint32_t flags, uint32_t user_count, const struct event_stacks *stacks)
{
	bool user_cut = flags & RING_SAMPLE_USER_TRUNCATED && stacks->user_count - stacks->user_words == user_count;

	return (flags & RING_SAMPLE_KERNEL_TRUNCATED ? SAMPLE_KERNEL_TRUNCATED : 0) |
	       (user_cut ? SAMPLE_USER_TRUNCATED : 0);
}

static inline enum user_missing ring_stacks_missing(uint32_t flags)
{
	if (flags & RING_SAMPLE_NO_USER_KTHREAD)
		return USER_MISSING_KERNEL_THREAD;
	if (flags & RING_SAMPLE_NO_USER_EXITING)
		return USER_MISSING_EXITING;
	return flags & RING_SAMPLE_NO_USER_FAULT ? USER_MISSING_FAULT : 0;
}

#endif
