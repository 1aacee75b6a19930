/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The reading end of a BPF ring buffer (kernel/bpf/ringbuf.c): one page that we write (how far we have read), one that
 * the kernel writes (how far it has written), then the data, mapped twice so that no record wraps. libbpf's reader
 * drains to the end; this one stops at a position noted earlier, so that what the sideband reported before that moment
 * can be applied first. It reports its progress to the kernel once per batch.
 */
#ifndef RWALKER_RECORD_PERF_RING_H
#define RWALKER_RECORD_PERF_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring {
	int fd;	     /* the map; owned by the probe */
	size_t size; /* bytes of data, a power of two */
	volatile uint64_t *consumer;
	const volatile uint64_t *producer;
	const uint8_t *data;
	uint64_t position; /* how far we have read */
	uint64_t target;   /* how far to read in this pass */
};

int ring_open(struct ring *ring, int fd, size_t size);
void ring_close(struct ring *ring);

/* Notes how far the kernel has written; true if that is ahead of us. */
bool ring_aim(struct ring *ring);

/* The next whole record before the target, NULL: none; valid until ring_release(). */
const void *ring_next(struct ring *ring, size_t *ret_length);

/* Returns the room of what was read to the kernel, including the last record that ring_next() returned. */
void ring_release(struct ring *ring);
/* Returns only the room before a position, which is where a record ends. */
void ring_release_to(struct ring *ring, uint64_t position);
/* Another CPU wrote the record: fetches it while something else is processed. */
void ring_prefetch(const void *record);
/* Bytes that wait to be read, or that were read and not released. */
uint64_t ring_fill(const struct ring *ring);

/* Several rings, each ordered by time, read as one: which of them is next, and for how long it stays the next. */

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
 * A tree that finds the earliest ring, which is cheap for hundreds of rings, too. Node 1 is the root, 2n and 2n + 1 are
 * the children of n, and node `count` + i is ring i. Each node holds the least key below it, so that reading it needs
 * no other memory. The tree is built once and settled for each ring whose time has changed.
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
