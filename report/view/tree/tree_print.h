/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One call tree as text, root at the top:
 *
 *	    entry_SYSCALL_64_after_hwframe+0x73
 *	    do_syscall_64+0x82
 *	    |--15.21%--queued_spin_lock_slowpath+0x1a3
 *	     --7.77%--_raw_spin_lock_irqsave+0x32
 *
 * If a node passes (nearly) all its weight to one child, the child is on the next line; where the
 * weight divides, each branch has its share of the whole source. Branches below the least share
 * are left out and counted; the heaviest child is always kept.
 *
 * With figures, each line begins with those of its node:
 *
 *	  98.20%   0.00%  do_syscall_64
 *	  15.21%   4.00%  |--queued_spin_lock_slowpath
 *	   7.77%   7.77%   --_raw_spin_lock_irqsave
 */
#ifndef RWALKER_REPORT_VIEW_TREE_TREE_PRINT_H
#define RWALKER_REPORT_VIEW_TREE_TREE_PRINT_H

#include "report/view/look/tally.h"
#include "report/view/text/view.h"
#include "report/view/tree/call_tree.h"

/* Prints the text of a node. A view's own struct may begin with this one. */
struct tree_text {
	void (*write)(const struct tree_text *text, const struct call_tree *tree,
		      const struct call_tree_node *node, FILE *out);
	/*
	 * Prints the figures at the left of a line; `self` is NULL for branches that are left out.
	 * If the function is NULL, there are no figures, and branches have their shares.
	 */
	void (*write_figures)(const struct tree_text *text, const struct tally *total, const uint64_t *self, FILE *out);
	/* Prints lines about what ends in a leaf, each after `before`. NULL if there are none. */
	void (*write_end)(const struct tree_text *text, const struct call_tree *tree, const struct call_tree_node *node,
			  const char *before, FILE *out);
	const char *no_function; /* with figures: the name of chains that end in the root */
	unsigned int width;	 /* of figures */
};

struct tree_hidden { /* branches that were left out without a line */
	uint64_t branches, weight;
};

/* Prints everything below the node `from`, but not the node itself; 0: all. */
int tree_print(const struct view_context *context, const struct tree_text *text,
	       const struct call_tree *tree, uint32_t from, uint64_t total,
	       struct tree_hidden *ret_hidden);

#endif
