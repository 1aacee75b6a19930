/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A tree of functions made of some call chains of a profile, root first: chains that pass through
 * the same functions share nodes, whatever the addresses. Each node has its heaviest frame (and so
 * the offset of that).
 *
 * The builder makes one tree after another and reuses its tables, which are as large as the
 * profile's node tree; the time for a tree depends on the number of profile nodes that its chains
 * touch, not on the number of samples. Nothing recurses. The profile guarantees that a node's
 * parent has a lower number; a node that violates this is -EBADMSG.
 */
#ifndef RWALKER_REPORT_VIEW_CALL_TREE_H
#define RWALKER_REPORT_VIEW_CALL_TREE_H

#include "report/view/functions.h"
#include "report/view/groups.h"
#include "report/view/view.h"

struct call_tree_builder;

struct call_tree_node {
	uint32_t parent, function, frame; /* frame: the heaviest */
	uint32_t first_child, child_count; /* children[first_child ...] */
	uint64_t weight, self;		   /* self: chains that end here */
	uint64_t samples, run_queue, throttled; /* summed from the leaves, like weight */
};

struct call_tree {
	const struct call_tree_node *nodes; /* node 0 is the root: no function, the whole weight */
	size_t count;
	const uint32_t *children;	    /* heaviest first, then by name */
};

int call_tree_builder_create(struct profile *profile, struct functions *functions,
			     struct call_tree_builder **ret_builder);
void call_tree_builder_destroy(struct call_tree_builder *builder);

/* The tree belongs to the builder and is valid until the next one. */
int call_tree_build(struct call_tree_builder *builder, const struct row *rows, size_t count,
		    struct call_tree *ret_tree);

/* Where a chain of the latest tree ended: the tree's node. */
uint32_t call_tree_end(const struct call_tree_builder *builder, uint32_t profile_node);

/* Looks up the functions of all frames of these chains, so that they can be printed. */
int call_tree_find_functions(struct call_tree_builder *builder, const struct row *rows, size_t count);

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

/* Says how many there were. */
void tree_hidden_write(const struct view_context *context, const struct tree_hidden *hidden, uint64_t total);

#endif
