/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The call chains of a page: one tree of functions, root first, in which chains that read the same are one stack.
 * Functions are numbered by name, then module; nodes in preorder, siblings by function; stacks by how much refers to
 * them, most first, except that stack 0 is the empty chain.
 */
#ifndef RWALKER_REPORT_VIEW_HTML_STACKS_H
#define RWALKER_REPORT_VIEW_HTML_STACKS_H

#include "report/view/html/columns.h"
#include "report/view/look/readings.h"
#include "report/view/look/waits.h"
#include "report/view/page/view.h"

struct stacks {
	struct profile *profile;
	struct functions *functions;
	struct readings readings;
	uint32_t *number_of; /* by function: its number in the page */
	uint32_t *function;  /* by number: the function */
	uint32_t *example;   /* by number: a frame of it */
	size_t function_count;
	uint64_t *uses;	     /* by node of the profile; after stacks_init() of those that stand for a stack */
	uint32_t *place;     /* by node that stands for others: its number in preorder */
	uint32_t *stack_of;  /* by node that ends a stack: the number of the stack */
	uint32_t *nodes;     /* by stack: the node that stands for it */
	size_t count, tree_count;
};

/* All chains of the profile's entries, waits and walked tasks; writes the tree. 0, -ENOMEM, -EBADMSG. */
int stacks_init(struct stacks *stacks, const struct waits *waits, const struct view_context *context,
		struct columns *columns);
void stacks_deinit(struct stacks *stacks);

/* The stack of a node whose chain is among them. */
static inline uint32_t stacks_find(const struct stacks *stacks, uint32_t node)
{
	return stacks->stack_of[stacks->readings.as[node]];
}

#endif
