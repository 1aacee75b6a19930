/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The chains of a profile, and of one that it is compared with, as one tree of functions. Nodes of
 * the second profile are numbered after those of the first. Functions that read the same are one,
 * and so are nodes whose chains read the same. Like readings.h, for two profiles.
 */
#ifndef RWALKER_REPORT_VIEW_COLUMNS_MERGE_H
#define RWALKER_REPORT_VIEW_COLUMNS_MERGE_H

#include "common/array.h"
#include "common/hash_map.h"
#include "report/view/look/readings.h"

enum { MERGE_SIDES = 2 };

struct merge_function {
	const struct functions *functions; /* of the first profile that has it */
	uint32_t number;		   /* in `functions` */
	uint32_t side, frame;		   /* an example of its frames */
};

struct merge_side {
	struct profile *profile;     /* NULL if there is no second one */
	struct functions *functions; /* of all wanted nodes, after they were read */
	uint32_t *function_of;	     /* by function of the profile: its number in `functions` below, plus 1; 0: none */
	size_t first, nodes, frames; /* its node 1 is node first + 1 of the merged tree */
};

struct merge {
	struct merge_side sides[MERGE_SIDES];
	struct readings readings;      /* of all nodes; readings_want() before they are read */
	struct profile_node *nodes;    /* of both profiles, if there are two; frames are those of their side */
	uint32_t *function_of;	       /* by node: a number of `functions` */
	ARRAY(struct merge_function) functions;
	struct hash_map known;	       /* text of a function -> its number; only with two profiles */
};

/* `none`: the name of an empty chain. `base` may be NULL. 0, -ENOMEM. Deinitialize it in any case. */
int merge_init(struct merge *merge, struct profile *profile, struct profile *base, const char *none);
void merge_deinit(struct merge *merge);

/* Finds functions and chains that read the same. 0, -ENOMEM, -EBADMSG. */
int merge_read(struct merge *merge);

/* The number in the merged tree of a node of a side. */
static inline uint32_t merge_node(const struct merge *merge, size_t side, uint32_t node)
{
	return node ? (uint32_t)merge->sides[side].first + node : 0;
}

/* By name, module, and whether it is inlined. */
int merge_compare(const struct merge *merge, uint32_t left, uint32_t right);

#endif
