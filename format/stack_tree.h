/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The stacks of the chunk that is being written, as a tree of shared prefixes (event_sample.h). It finds how much
 * of a stack is there already and writes the rest. All memory is taken at creation. Reset is a change
 * of the base from which node numbers count, not a sweep: a slot of the hash table is live where its node
 * lies in [base, base + count). Hashes are multiplied by numbers drawn at creation, so that a process cannot
 * choose addresses that meet in one slot.
 */
#ifndef RWALKER_FORMAT_STACK_TREE_H
#define RWALKER_FORMAT_STACK_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STACK_TREE_NODES = 1 << 16 }; /* of one chunk; a chunk of the usual size has no room for more */

struct stack_slot {
	uint64_t address;
	uint32_t parent; /* in the chunk */
	uint32_t node;	 /* counted from base */
};

struct stack_recent { /* per node: the child that was asked for last, mostly asked for again */
	uint64_t address;
	uint32_t child; /* 0: none yet */
};

struct stack_tree {
	struct stack_slot *slots;
	uint64_t *previous; /* per node: the address that the next child's is a difference to */
	struct stack_recent *recent;
	uint64_t factor, parent_factor; /* random, odd */
	uint32_t base, count;
	uint32_t bits; /* of the table in use: slots [1 << bits, 2 << bits), small while the chunk is */
};

int stack_tree_init(struct stack_tree *tree);
void stack_tree_deinit(struct stack_tree *tree);
void stack_tree_reset(struct stack_tree *tree);

static inline bool stack_tree_has_room(const struct stack_tree *tree, uint32_t frames)
{
	return frames <= STACK_TREE_NODES - tree->count;
}

/* Bytes that a stack takes at most. */
static inline size_t stack_tree_room(uint32_t frames)
{
	return 20 + (size_t)frames * 10;
}

/*
 * Writes a stack of `count` frames, leaf first, below `root`; has_room and room for the bytes have been checked.
 * Returns the place behind it; *ret_leaf is the leaf's node.
 */
uint8_t *stack_tree_put(struct stack_tree *tree, uint32_t root, const uint64_t *frames, uint32_t count, uint8_t *at,
			uint32_t *ret_leaf);

#endif
