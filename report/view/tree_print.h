/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One call tree as text, root at the top:
 *
 *	    entry_SYSCALL_64_after_hwframe+0x73
 *	    do_syscall_64+0x82
 *	    |--15.21%--queued_spin_lock_slowpath+0x1a3
 *	     --7.77%--_raw_spin_lock_irqsave+0x32
 *
 * A node that passes (nearly) all its weight to one child is followed by it on the next line; where the weight
 * divides, each branch has its share of the whole section. Branches below the least share are left out and
 * counted; the heaviest child is always kept.
 */
#ifndef RWALKER_REPORT_VIEW_TREE_PRINT_H
#define RWALKER_REPORT_VIEW_TREE_PRINT_H

#include "report/view/call_tree.h"
#include "report/view/view.h"

/* What a node says; the holder's own struct may begin with it. */
struct tree_text {
	void (*write)(const struct tree_text *text, const struct call_tree *tree, const struct call_tree_node *node, FILE *out);
};

struct tree_hidden { /* branches that were left out without a line of their own */
	uint64_t branches, weight;
};

/* What is below the node `from`, which is not printed itself; 0: all. */
int tree_print(const struct view_context *context, const struct tree_text *text, const struct call_tree *tree, uint32_t from,
	       uint64_t total, struct tree_hidden *ret_hidden);

#endif
