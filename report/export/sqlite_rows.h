/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Numbers call chains in preorder: a chain comes before all chains that begin with it, and these
 * have the numbers up to its `last`. So all that was called from a chain is a range of numbers,
 * which any database can look up.
 *
 *	main 1..4 ─┬─ parse 2..3 ── read 3..3
 *	           └─ write 4..4
 *
 * The root, number 0, is the empty chain. Chains that are not wanted have no number.
 */
#ifndef RWALKER_REPORT_EXPORT_SQLITE_ROWS_H
#define RWALKER_REPORT_EXPORT_SQLITE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/profile/profile.h"

struct stack_order {
	const struct profile_node *nodes;
	size_t node_count;
	bool *wanted;	    /* by node */
	uint32_t *number;   /* by wanted node; 0 for the root */
	uint32_t *node, *last; /* by number */
	uint32_t count;	    /* of numbers, including the root */
};

/* 0, -ENOMEM. */
int stack_order_init(struct stack_order *order, const struct profile *profile);
void stack_order_deinit(struct stack_order *order);

/* First want all chains, which includes all their beginnings; then number them. -EBADMSG; -ENOMEM. */
int stack_order_want(struct stack_order *order, const struct profile *profile, uint32_t node);
int stack_order_number(struct stack_order *order);

#endif
