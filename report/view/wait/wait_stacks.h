/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The single waits of a source by stack: waits of the same comm (and process, if requested) whose
 * call chains read the same, as in --stacks. The whole length of each wait is counted, from out to
 * in, even if part of it is outside of the recording.
 *
 * Stacks are ordered by their longest wait, the longest last. The waits of a stack are in the order
 * of the profile's list until wait_stacks_rank() sorts them by length: of two equal lengths, a
 * lower bound is after an exact one, and then the earlier one after the later one.
 */
#ifndef RWALKER_REPORT_VIEW_WAIT_WAIT_STACKS_H
#define RWALKER_REPORT_VIEW_WAIT_WAIT_STACKS_H

#include "report/view/look/functions.h"
#include "report/view/look/task_names.h"
#include "report/view/look/waits.h"
#include "report/view/text/view.h"

struct wait_member {
	uint64_t length;
	uint32_t wait; /* index in the profile's list */
};

struct wait_stack {
	uint32_t comm, process; /* process: 0 if waits are not split by process */
	uint32_t node;		/* in the profile: one of those that read the same */
	uint32_t longest_wait;	/* index in the profile's list */
	size_t first, count;	/* members[first ...], at least one */
	size_t open;
	bool least;		/* some of its lengths are lower bounds */
	uint64_t longest, total, weight; /* weight: the part of the total in the recording and the requested times */
};

struct wait_stacks {
	struct waits waits;
	struct functions *functions; /* of all frames in use */
	struct task_names names;
	struct wait_member *members;
	struct wait_stack *items;
	size_t count;
};

int wait_stacks_init(struct wait_stacks *stacks, const struct view_context *context, uint32_t source,
		     enum functions_mode mode);
void wait_stacks_deinit(struct wait_stacks *stacks);

static inline const struct profile_wait *wait_stacks_wait(const struct wait_stacks *stacks, size_t member)
{
	return &stacks->waits.items[stacks->members[member].wait];
}

static inline const struct profile_wait *wait_stacks_longest(const struct wait_stacks *stacks,
							     const struct wait_stack *stack)
{
	return &stacks->waits.items[stack->longest_wait];
}

/* The number of the first stack that is shown: --top-waits shows the last of them, the worst. */
static inline size_t wait_stacks_first_shown(const struct wait_stacks *stacks, const struct view_settings *settings)
{
	uint64_t most = settings->top_waits;

	return most && stacks->count > most ? stacks->count - most : 0;
}

/* Sorts the stack's members by length. */
void wait_stacks_rank(struct wait_stacks *stacks, const struct wait_stack *stack);

/*
 * The percentile, by nearest rank: the member that is no shorter than `percent` of the stack's
 * waits. They must be ranked.
 */
static inline size_t wait_stack_rank(const struct wait_stack *stack, unsigned int percent)
{
	return stack->first + (stack->count * percent + 99) / 100 - 1;
}

/* The kind of bound that a sum of waits is. */
enum wait_bound wait_stack_total_bound(const struct wait_stack *stack);

#endif
