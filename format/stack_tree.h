/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The stacks of the chunk that is being written, as a tree of shared prefixes (event.h). It
 * finds how much of a stack is known already and writes the rest. All memory is allocated at
 * creation. Hashes are multiplied by numbers drawn at creation, so that a process cannot choose
 * addresses that collide. Samples mostly differ in the leaf only: the callers are looked up first
 * as a whole, by the key of their chain or by a number that identifies it.
 */
#ifndef RWALKER_FORMAT_STACK_TREE_H
#define RWALKER_FORMAT_STACK_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/hash_map.h"

enum { STACK_TREE_NODES = 1 << 16 }; /* per chunk; a chunk of the usual size has no room for more */

struct stack_slot {
	uint64_t address;
	uint32_t parent; /* in the chunk */
	uint32_t node;	 /* 0: the slot is free */
};

struct stack_memo { /* callers that were added below a root as a whole */
	struct chain_key callers;
	uint32_t node;	  /* of the innermost of them, 0: none */
	uint32_t leaf;	  /* the node that was last added below it */
	uint64_t address; /* of the leaf */
};

struct stack_tree {
	struct stack_slot *slots;
	uint64_t *previous; /* per node: base of the next child's address */
	struct stack_memo *memos;
	struct chain_factors factors;
	uint64_t factor, parent_factor; /* random, odd */
	uint32_t count;
	bool swept; /* the tables hold entries of this chunk only */
	uint32_t bits; /* of the table in use: slots [1 << bits, 2 << bits), small while the chunk is */
};

int stack_tree_init(struct stack_tree *tree);
void stack_tree_deinit(struct stack_tree *tree);
void stack_tree_reset(struct stack_tree *tree);

static inline bool stack_tree_has_room(const struct stack_tree *tree, uint32_t frames)
{
	return frames <= STACK_TREE_NODES - tree->count;
}

/* Upper bound of the bytes of a stack. */
static inline size_t stack_tree_room(uint32_t frames)
{
	return 20 + (size_t)frames * 10;
}

/* A stack to be written: `count` frames, leaf first, below `root`. */
struct stack_put {
	uint32_t root, count;
	const uint64_t *frames;
	uint64_t owner; /* its owner, a number of the caller's */
	uint64_t callers; /* 0, or a number that forever identifies all frames but the first, below this root */
	/* Filled in: */
	uint32_t leaf; /* its node */
	bool known;    /* the leaf's callers, as a whole, were added for this owner since the last reset */
};

/* Writes the stack. The caller has checked has_room and the room for the bytes. Returns the end of what was written. */
uint8_t *stack_tree_put(struct stack_tree *tree, struct stack_put *put, uint8_t *at);

#endif
