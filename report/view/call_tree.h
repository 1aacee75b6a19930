/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A tree of functions over some call chains of a profile, root first: chains that pass through the same functions
 * share nodes, whatever the addresses. Each node knows the frame (thus the offset) that weighs most in it.
 *
 * The builder makes one tree after another and keeps its tables, which are as large as the profile's
 * node tree; a tree costs time by the number of profile nodes its chains touch, not by the number of samples.
 * Nothing recurses. The profile promises that a node's parent has a lower number; a node that breaks this
 * is -EBADMSG.
 */
#ifndef RWALKER_REPORT_VIEW_CALL_TREE_H
#define RWALKER_REPORT_VIEW_CALL_TREE_H

#include "report/view/functions.h"

struct call_tree_leaf {
	uint32_t node; /* of the profile */
	uint64_t weight;
};

struct call_tree_node {
	uint32_t parent, function, frame; /* frame: the hottest */
	uint32_t first_child, child_count; /* children[first_child ...] */
	uint64_t weight, self;		   /* self: of chains that end here */
};

struct call_tree {
	const struct call_tree_node *nodes; /* node 0 is the root: no function, weight of all */
	size_t count;
	const uint32_t *children;	    /* heaviest first, then by name */
};

struct call_tree_builder;

int call_tree_builder_create(struct profile *profile, struct functions *functions,
			     struct call_tree_builder **ret_builder);
void call_tree_builder_destroy(struct call_tree_builder *builder);

/* The tree is the builder's, until the next one. */
int call_tree_build(struct call_tree_builder *builder, const struct call_tree_leaf *leaves, size_t count,
		    struct call_tree *ret_tree);

/* Looks up the functions of all frames of these chains, so that they can be printed. */
int call_tree_find_functions(struct call_tree_builder *builder, const struct call_tree_leaf *leaves, size_t count);

#endif
