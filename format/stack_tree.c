/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/stack_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash_map.h"
#include "format/event.h"
#include "format/varint.h"

/* Tables of growing size follow one another: most chunks need only a small one, which stays in the cache. */
enum { LEAST_BITS = 13,
       MOST_BITS = 17,
       SLOTS = 2 << MOST_BITS, /* at most 3/4 of a table's slots are live */
       MEMO_BITS = 12 };

static int draw_factors(struct stack_tree *tree)
{
	uint64_t drawn[2];
	int r = random_bytes(drawn, sizeof(drawn));

	if (r < 0)
		return r;
	tree->factor = drawn[0] | 1;
	tree->parent_factor = drawn[1] | 1;
	return chain_factors_draw(&tree->factors);
}

int stack_tree_init(struct stack_tree *tree)
{
	struct stack_tree made = {.bits = LEAST_BITS};
	int r = draw_factors(&made);

	if (r < 0)
		return r;
	made.slots = calloc(SLOTS, sizeof(*made.slots));
	made.previous = calloc(STACK_TREE_NODES, sizeof(*made.previous));
	made.memos = calloc((size_t)1 << MEMO_BITS, sizeof(*made.memos));
	*tree = made;
	if (!made.slots || !made.previous || !made.memos) {
		stack_tree_deinit(tree);
		return -ENOMEM;
	}
	stack_tree_reset(tree);
	return 0;
}

void stack_tree_deinit(struct stack_tree *tree)
{
	free(tree->slots);
	free(tree->previous);
	free(tree->memos);
	*tree = (struct stack_tree){0};
}

void stack_tree_reset(struct stack_tree *tree)
{
	while (tree->bits > LEAST_BITS && tree->count <= 3u << (tree->bits - 3)) /* as large as needed last time */
		tree->bits--;
	tree->count = STACK_FIRST_NODE;
	tree->swept = false;
	tree->previous[STACK_USER_ROOT] = tree->previous[STACK_KERNEL_ROOT] = 0;
}

static struct stack_slot *table_of(const struct stack_tree *tree)
{
	return tree->slots + ((size_t)1 << tree->bits);
}

/*
 * Clears the tables when the first stack is added, not when the last chunk was written: since then
 * they were evicted from the caches, and writing them sequentially brings them back at a fraction
 * of the cost of one miss per slot.
 */
static void sweep(struct stack_tree *tree)
{
	memset(table_of(tree), 0, sizeof(*tree->slots) << tree->bits);
	memset(tree->memos, 0, sizeof(*tree->memos) << MEMO_BITS);
	tree->swept = true;
}

static inline uint32_t slot_of(const struct stack_tree *tree, uint32_t parent, uint64_t address)
{
	return (uint32_t)((address + parent * tree->parent_factor) * tree->factor >> (64 - tree->bits));
}

/* The slot of this child, or the free slot for it: then *ret_node is 0. */
static inline struct stack_slot *find_child(const struct stack_tree *tree, uint32_t parent, uint64_t address,
					    uint32_t *ret_node)
{
	struct stack_slot *table = table_of(tree);
	uint32_t at = slot_of(tree, parent, address), mask = (1u << tree->bits) - 1;

	for (;; at = (at + 1) & mask) {
		struct stack_slot *slot = &table[at];

		if (!slot->node || (slot->address == address && slot->parent == parent)) {
			*ret_node = slot->node;
			return slot;
		}
	}
}

/* Moves the live slots to the next larger table. */
static void grow(struct stack_tree *tree)
{
	struct stack_slot *old = table_of(tree);
	size_t count = (size_t)1 << tree->bits;

	tree->bits++;
	memset(table_of(tree), 0, sizeof(*tree->slots) << tree->bits);
	for (size_t i = 0; i < count; i++) {
		uint32_t node;

		if (old[i].node)
			*find_child(tree, old[i].parent, old[i].address, &node) = old[i];
	}
}

static uint32_t add_child(struct stack_tree *tree, struct stack_slot *slot, uint32_t parent, uint64_t address)
{
	uint32_t node = tree->count++;

	*slot = (struct stack_slot){.address = address, .parent = parent, .node = node};
	tree->previous[node] = tree->previous[parent] = address;
	if (tree->count > 3u << (tree->bits - 2) && tree->bits < MOST_BITS)
		grow(tree);
	return node;
}

/* A key made from a number has a zero upper half; one of a chain has so with a probability of 2^-64. */
static struct chain_key key_of_callers(const struct stack_tree *tree, const struct stack_put *put)
{
	if (put->callers)
		return (struct chain_key){.low = hash_spread(put->callers)};
	return chain_key(&tree->factors, put->frames + 1, put->count - 1, put->root, put->owner);
}

static bool has_memo(const struct stack_put *put)
{
	return put->count > 1 && (put->callers || put->count <= CHAIN_KEY_FRAMES);
}

/* The memo of a leaf's callers. memo->node is 0 if they are not known: then it is free for them. */
static struct stack_memo *find_callers(const struct stack_tree *tree, const struct stack_put *put)
{
	struct chain_key key = key_of_callers(tree, put);
	struct stack_memo *memo = &tree->memos[chain_key_slot(&key, MEMO_BITS)];

	if (!chain_key_equal(&memo->callers, &key))
		*memo = (struct stack_memo){.callers = key};
	return memo;
}

/*
 * Where the stack leaves the tree: the number of frames not in it, below *ret_parent; *ret_slot is
 * for the first one.
 */
static uint32_t descend(const struct stack_tree *tree, const uint64_t *frames, uint32_t count, uint32_t *parent,
			uint32_t *ret_callers, struct stack_slot **ret_slot)
{
	uint32_t child;

	for (; count; count--, *parent = child) {
		*ret_callers = *parent;
		*ret_slot = find_child(tree, *parent, frames[count - 1], &child);
		if (!child)
			break;
	}
	return count;
}

/* Adds the frames, below the callers in `memo`, or else below the root. */
static uint8_t *put_frames(struct stack_tree *tree, struct stack_put *put, struct stack_memo *memo, uint8_t *at)
{
	uint32_t callers = memo ? memo->node : 0, parent = callers ? callers : put->root;
	uint32_t count = callers ? 1 : put->count, child;
	struct stack_slot *slot = NULL;

	count = descend(tree, put->frames, count, &parent, &callers, &slot);
	at = varint_put(at, parent);
	at = varint_put(at, count);
	/* Their parents' numbers are known: the cache misses of their slots overlap. */
	for (uint32_t i = 1; i < count; i++)
		__builtin_prefetch(table_of(tree) + slot_of(tree, tree->count + i - 1, put->frames[count - 1 - i]), 1);
	while (count) {
		uint64_t address = put->frames[count - 1];

		at = zigzag_put(at, address - tree->previous[parent]);
		callers = parent;
		parent = add_child(tree, slot, parent, address);
		if (--count)
			slot = find_child(tree, parent, put->frames[count - 1], &child);
	}
	if (memo)
		*memo = (struct stack_memo){memo->callers, callers, parent, put->frames[0]};
	put->leaf = parent;
	return at;
}

uint8_t *stack_tree_put(struct stack_tree *tree, struct stack_put *put, uint8_t *at)
{
	struct stack_memo *memo;

	if (!tree->swept)
		sweep(tree);
	memo = has_memo(put) ? find_callers(tree, put) : NULL;
	put->known = memo && memo->node;
	if (!put->known || memo->address != put->frames[0])
		return put_frames(tree, put, memo, at);
	put->leaf = memo->leaf;
	return varint_put(varint_put(at, memo->leaf), 0);
}
