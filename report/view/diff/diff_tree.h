/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Two profiles have only texts in common: names of functions, comms, steps of chains. They become
 * small numbers here, and paths of them become nodes of one tree: paths that read the same before
 * and after are one node. Node 0 is the root, and children have higher numbers than their parents.
 */
#ifndef RWALKER_REPORT_VIEW_DIFF_DIFF_TREE_H
#define RWALKER_REPORT_VIEW_DIFF_DIFF_TREE_H

#include <stdint.h>

#include "common/array.h"
#include "common/hash_map.h"

enum diff_side_number { DIFF_BEFORE, DIFF_AFTER, DIFF_SIDES };

struct diff_amount {
	uint64_t halves[2]; /* weight in the first and second half of the recordings */
	uint64_t samples;
};

struct diff_pair {
	struct diff_amount sides[DIFF_SIDES];
};

void diff_pair_add(struct diff_pair *sum, const struct diff_pair *pair);

struct diff_names {
	struct hash_map known;
	ARRAY(char *) texts; /* by number */
};

int diff_names_init(struct diff_names *names);
void diff_names_deinit(struct diff_names *names);
/* The text is copied. -ENOMEM. */
int diff_names_add(struct diff_names *names, const char *text, uint32_t *ret_name);

struct diff_node {
	uint32_t parent, name;
	struct diff_pair self; /* of paths that end here */
};

struct diff_tree {
	struct hash_map known; /* (parent, name) -> node */
	ARRAY(struct diff_node) nodes;
};

int diff_tree_init(struct diff_tree *tree);
void diff_tree_deinit(struct diff_tree *tree);
/* The child of that name, which is added if it is new. -ENOMEM. */
int diff_tree_enter(struct diff_tree *tree, uint32_t parent, uint32_t name, uint32_t *ret_node);

/*
 * For each name, the sum of the paths that contain it. A path counts once, however often it
 * contains the name. `totals` has room for all names, and is zeroed. -ENOMEM.
 */
int diff_tree_totals(const struct diff_tree *tree, size_t names, struct diff_pair *totals);

#endif
