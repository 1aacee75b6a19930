/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Several rings, each ordered by time, read as one: which of them is next, and for how long it stays the next. */
#ifndef RWALKER_RECORD_PERF_MERGE_H
#define RWALKER_RECORD_PERF_MERGE_H

#include <stdint.h>

/*
 * A tree of who is earlier, which is cheap for hundreds of rings, too. Node 1 is the root, 2n and 2n + 1 are the
 * children of n, and node `count` + i is ring i. It is built once and settled for each ring whose
 * time has changed, which takes only a few comparisons.
 */
struct merge_tree {
	const uint64_t *times;
	uint32_t *earlier; /* room for `count`: for each node that is not a ring, the earliest ring below it */
	uint32_t count;	   /* at least 1 */
};

static inline uint32_t merge_ring(const struct merge_tree *tree, uint32_t node)
{
	return node >= tree->count ? node - tree->count : tree->earlier[node];
}

/* Of equal times, the ring with the lower number is first, wherever the tree has it. */
static inline void merge_compare(const struct merge_tree *tree, uint32_t node)
{
	uint32_t one = merge_ring(tree, 2 * node), other = merge_ring(tree, 2 * node + 1);
	uint64_t ones = tree->times[one], others = tree->times[other];

	tree->earlier[node] = others < ones || (others == ones && other < one) ? other : one;
}

static inline void merge_build(const struct merge_tree *tree)
{
	for (uint32_t node = tree->count - 1; node > 0; node--)
		merge_compare(tree, node);
}

static inline void merge_settle(const struct merge_tree *tree, uint32_t ring)
{
	for (uint32_t node = (tree->count + ring) / 2; node > 0; node /= 2)
		merge_compare(tree, node);
}

/*
 * The index of the ring with the earliest time; UINT64_MAX means that a ring is empty. *ret_until: up to and with which
 * time this ring may be read without asking again: the earliest of the others, or just before it if that ring's number
 * is lower. UINT64_MAX: all others are empty.
 */
static inline uint32_t merge_first(const struct merge_tree *tree, uint64_t *ret_until)
{
	uint32_t first = merge_ring(tree, 1);
	uint64_t until = UINT64_MAX;

	for (uint32_t node = tree->count + first; node > 1; node /= 2) {
		uint32_t other = merge_ring(tree, node ^ 1);
		uint64_t beside = tree->times[other];

		/* Not 0: it is later than `first`, or `other` would be the first. */
		beside -= beside != UINT64_MAX && other < first;
		until = beside < until ? beside : until;
	}
	*ret_until = until;
	return first;
}

#endif
