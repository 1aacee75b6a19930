/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Several rings, each ordered by time, read as one: which of them is next, and for how long it stays the next. */
#ifndef RWALKER_RECORD_PERF_MERGE_H
#define RWALKER_RECORD_PERF_MERGE_H

#include <stdint.h>

/* A ring's next time, and below it the ring: of equal times, the ring with the lower number is first. */
typedef unsigned __int128 merge_key;

static inline merge_key merge_key_of(uint64_t time, uint32_t ring)
{
	return (merge_key)time << 64 | ring;
}

static inline uint64_t merge_time(merge_key key)
{
	return (uint64_t)(key >> 64);
}

static inline uint32_t merge_ring(merge_key key)
{
	return (uint32_t)key;
}

/*
 * A tree that finds the earliest ring, which is cheap for hundreds of rings, too. Node 1 is the
 * root, 2n and 2n + 1 are the children of n, and node `count` + i is ring i. Each node holds the
 * least key below it, so that reading it needs no other memory. The tree is built once and settled
 * for each ring whose time has changed.
 */
struct merge_tree {
	merge_key *keys; /* room for 2 * count */
	uint32_t count;	 /* at least 1 */
};

static inline merge_key merge_of(const struct merge_tree *tree, uint32_t ring)
{
	return tree->keys[tree->count + ring];
}

/* Sets the ring's time, UINT64_MAX if it is empty. Build or settle the tree afterwards. */
static inline void merge_put(const struct merge_tree *tree, uint32_t ring, uint64_t time)
{
	tree->keys[tree->count + ring] = merge_key_of(time, ring);
}

static inline merge_key merge_lesser(merge_key one, merge_key other)
{
	return other < one ? other : one;
}

static inline void merge_build(const struct merge_tree *tree)
{
	for (uint32_t node = tree->count - 1; node > 0; node--)
		tree->keys[node] = merge_lesser(tree->keys[2 * node], tree->keys[2 * node + 1]);
}

static inline void merge_settle(const struct merge_tree *tree, uint32_t ring)
{
	uint32_t node = tree->count + ring;
	merge_key least = tree->keys[node];

	for (; node > 1; node /= 2) {
		least = merge_lesser(least, tree->keys[node ^ 1]);
		tree->keys[node / 2] = least;
	}
}

/* The key of the ring with the earliest time; time UINT64_MAX means that all are empty. */
static inline merge_key merge_first(const struct merge_tree *tree)
{
	return tree->keys[1];
}

/* The least key of all rings but this one: until the ring's own is greater, it may be read without asking again. */
static inline merge_key merge_others(const struct merge_tree *tree, uint32_t ring)
{
	merge_key least = merge_key_of(UINT64_MAX, UINT32_MAX);

	for (uint32_t node = tree->count + ring; node > 1; node /= 2)
		least = merge_lesser(least, tree->keys[node ^ 1]);
	return least;
}

#endif
