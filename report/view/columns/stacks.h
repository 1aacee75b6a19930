/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The call chains of a page: one tree of functions, root first, in which chains that read the same
 * are one stack. Functions are numbered by name, then module; nodes in preorder, siblings by
 * function. Stacks are numbered by how often they are referred to, within a power of two, most
 * first, then by node; stack 0 is the empty chain.
 */
#ifndef RWALKER_REPORT_VIEW_COLUMNS_STACKS_H
#define RWALKER_REPORT_VIEW_COLUMNS_STACKS_H

#include "report/view/columns/columns.h"
#include "report/view/columns/merge.h"
#include "report/view/look/waits.h"
#include "report/view/text/view.h"

struct stacks {
	struct merge merge;
	uint32_t *number_of; /* by function of the merged profiles: its number in the page */
	uint32_t *function;  /* by number: the function */
	size_t function_count;
	uint64_t *uses;	     /* by node; NULL after stacks_init() */
	bool *waited;	     /* by node that represents others: a wait or wakeup was there */
	uint32_t *place;     /* by node that represents others: its number in preorder */
	uint32_t *stack_of;  /* by node that ends a stack: the number of the stack */
	uint32_t *nodes;     /* by stack: the node that represents it */
	size_t count, tree_count;
};

/* Takes all chains of both profiles' entries, of waits and walked tasks; writes the tree. 0, -ENOMEM, -EBADMSG. */
int stacks_init(struct stacks *stacks, const struct waits *waits, const struct view_context *context,
		struct columns *columns);
void stacks_deinit(struct stacks *stacks);

/* The stack of a node, whose chain must be one of these. */
static inline uint32_t stacks_find(const struct stacks *stacks, uint32_t node)
{
	return stacks->stack_of[stacks->merge.readings.as[node]];
}

/* The functions of the profile itself. */
static inline struct functions *stacks_functions(const struct stacks *stacks)
{
	return stacks->merge.sides[0].functions;
}

#endif
