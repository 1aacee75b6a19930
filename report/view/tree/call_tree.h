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
#ifndef RWALKER_REPORT_VIEW_TREE_CALL_TREE_H
#define RWALKER_REPORT_VIEW_TREE_CALL_TREE_H

#include "report/view/look/functions.h"

struct call_tree_leaf {
	uint32_t node; /* of the profile */
	uint64_t weight;
	uint64_t samples, run_queue, throttled; /* only summed */
};

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

struct call_tree_builder;

int call_tree_builder_create(struct profile *profile, struct functions *functions,
			     struct call_tree_builder **ret_builder);
void call_tree_builder_destroy(struct call_tree_builder *builder);

/* The tree belongs to the builder and is valid until the next one. */
int call_tree_build(struct call_tree_builder *builder, const struct call_tree_leaf *leaves, size_t count,
		    struct call_tree *ret_tree);

/* Where a chain of the latest tree ended: the tree's node. */
uint32_t call_tree_end(const struct call_tree_builder *builder, uint32_t profile_node);

/* Looks up the functions of all frames of these chains, so that they can be printed. */
int call_tree_find_functions(struct call_tree_builder *builder, const struct call_tree_leaf *leaves,
			     size_t count);

#endif
