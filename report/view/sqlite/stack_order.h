/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Numbers for call chains, in preorder: a chain comes before all that it is the beginning of, and these are the numbers
 * up to its `last`. So what was called from a chain is a range of numbers, which any database can look up.
 *
 *	main 1..4 ─┬─ parse 2..3 ── read 3..3
 *	           └─ write 4..4
 *
 * The root, number 0, is the empty chain. Chains that nobody wants have no number.
 */
#ifndef RWALKER_REPORT_VIEW_SQLITE_STACK_ORDER_H
#define RWALKER_REPORT_VIEW_SQLITE_STACK_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/profile/seam/profile.h"

struct stack_order {
	const struct profile_node *nodes;
	size_t node_count;
	bool *wanted;	    /* by node */
	uint32_t *number;   /* by node; of those that are wanted, and 0 of the root */
	uint32_t *node, *last; /* by number */
	uint32_t count;	    /* of numbers, with the root */
};

/* 0, -ENOMEM. */
int stack_order_init(struct stack_order *order, const struct profile *profile);
void stack_order_deinit(struct stack_order *order);

/* First all chains are wanted, with all that they begin with; then they are numbered. -EBADMSG; -ENOMEM. */
int stack_order_want(struct stack_order *order, const struct profile *profile, uint32_t node);
int stack_order_number(struct stack_order *order);

#endif
