/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The stacks of the chunk that is being written, as a tree of shared prefixes (event_sample.h). It finds how much
 * of a stack is there already and writes the rest. All memory is taken at creation. Hashes are multiplied by numbers
 * drawn at creation, so that a process cannot choose addresses that meet in one slot. Samples mostly differ in the leaf
 * alone: the callers as a whole are looked up first, by the key of their chain or by a number that stands for it.
 */
#ifndef RWALKER_FORMAT_STACK_TREE_H
#define RWALKER_FORMAT_STACK_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/chain_key.h"

enum { STACK_TREE_NODES = 1 << 16 }; /* of one chunk; a chunk of the usual size has no room for more */

struct stack_slot {
	uint64_t address;
	uint32_t parent; /* in the chunk */
	uint32_t node;	 /* 0: the slot is free */
};

struct stack_memo { /* callers that were put below a root as a whole */
	struct chain_key callers;
	uint32_t node;	  /* of the innermost of them, 0: none */
	uint32_t leaf;	  /* the node that came below it last */
	uint64_t address; /* of the leaf */
};

struct stack_tree {
	struct stack_slot *slots;
	uint64_t *previous; /* per node: the address that the next child's is a difference to */
	struct stack_memo *memos;
	struct chain_factors factors;
	uint64_t factor, parent_factor; /* random, odd */
	uint32_t count;
	bool swept; /* the tables are empty but for what this chunk put there */
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

/* A stack to be written: `count` frames, leaf first, below `root`. */
struct stack_put {
	uint32_t root, count;
	const uint64_t *frames;
	uint64_t owner; /* whose it is, by a number of the caller's */
	uint64_t callers; /* 0, or a number that stands for all frames but the first, below this root, and for nothing else, ever */
	/* Filled in: */
	uint32_t leaf; /* its node */
	bool known;    /* the callers of the leaf, as a whole, have been put for this owner since the last reset */
};

/* Writes the stack; has_room and room for the bytes have been checked. Returns the place behind it. */
uint8_t *stack_tree_put(struct stack_tree *tree, struct stack_put *put, uint8_t *at);

#endif
