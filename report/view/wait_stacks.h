/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The single waits of a source by the stack that waited: waits whose call chains read the same, of the same comm (and
 * process, where that was asked for), as --stacks has them. What is counted here is the whole length of each
 * wait, from out to in, also where a part of it lies outside of the recording.
 *
 * Stacks come by their longest wait, the longest last. The waits of a stack come in the order of the profile's list until
 * wait_stacks_rank() puts them by their length: of two that are equally long, one that is known to be at least as long is
 * behind one that is exact, and then the earlier behind the later.
 */
#ifndef RWALKER_REPORT_VIEW_WAIT_STACKS_H
#define RWALKER_REPORT_VIEW_WAIT_STACKS_H

#include "report/view/functions.h"
#include "report/view/task_names.h"
#include "report/view/view.h"
#include "report/view/waits.h"

struct wait_member {
	uint64_t length;
	uint32_t wait; /* index in the profile's list */
};

struct wait_stack {
	uint32_t comm, process; /* process: 0 where waits are not split by it */
	uint32_t node;		/* of the profile: one of those that read the same */
	uint32_t longest_wait;	/* index in the profile's list */
	size_t first, count;	/* members[first ...], at least one */
	size_t open;
	bool least, most;	/* some of its waits are known to be at least, at most, as long */
	uint64_t longest, total, weight; /* weight: what of the total lies in the recording and the times asked for */
};

struct wait_stacks {
	struct waits waits;
	struct functions *functions; /* of all frames that occur */
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

static inline const struct profile_wait *wait_stacks_longest(const struct wait_stacks *stacks, const struct wait_stack *stack)
{
	return &stacks->waits.items[stack->longest_wait];
}

/* Puts the stack's members in the order of their lengths. */
void wait_stacks_rank(struct wait_stacks *stacks, const struct wait_stack *stack);

/* The member, of a stack whose members were ranked, that is no shorter than `percent` of a stack's waits: nearest rank. */
static inline size_t wait_stack_rank(const struct wait_stack *stack, unsigned int percent)
{
	return stack->first + (stack->count * percent + 99) / 100 - 1;
}

/* What is known of a sum of waits. */
enum profile_wait_bound wait_stack_total_bound(const struct wait_stack *stack);

#endif
