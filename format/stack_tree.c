/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/stack_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "format/event_sample.h"
#include "format/varint.h"

/* Tables of growing size lie behind one another: most chunks need only a small one, which stays in the cache. */
enum { LEAST_BITS = 13, MOST_BITS = 17, SLOTS = 2 << MOST_BITS }; /* at most half of a table's are live */

static int draw_factors(struct stack_tree *tree)
{
	uint64_t drawn[2];

	if (getrandom(drawn, sizeof(drawn), 0) != (ssize_t)sizeof(drawn))
		return -EIO;
	tree->factor = drawn[0] | 1;
	tree->parent_factor = drawn[1] | 1;
	return 0;
}

int stack_tree_init(struct stack_tree *tree)
{
	struct stack_tree made = {.base = 1}; /* the slots start zeroed: 0 must never be a live node */
	int r = draw_factors(&made);

	if (r < 0)
		return r;
	made.slots = calloc(SLOTS, sizeof(*made.slots));
	made.previous = calloc(STACK_TREE_NODES, sizeof(*made.previous));
	made.recent = calloc(STACK_TREE_NODES, sizeof(*made.recent));
	*tree = made;
	if (!made.slots || !made.previous || !made.recent) {
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
	free(tree->recent);
	*tree = (struct stack_tree){0};
}

void stack_tree_reset(struct stack_tree *tree)
{
	if (tree->base > UINT32_MAX - 2 * STACK_TREE_NODES) {
		memset(tree->slots, 0, SLOTS * sizeof(*tree->slots));
		tree->base = 1;
	} else {
		tree->base += tree->count;
	}
	tree->count = STACK_FIRST_NODE;
	tree->bits = LEAST_BITS;
	tree->previous[STACK_USER_ROOT] = tree->previous[STACK_KERNEL_ROOT] = 0;
	tree->recent[STACK_USER_ROOT] = tree->recent[STACK_KERNEL_ROOT] = (struct stack_recent){0};
}

/* The slot of this child, or the free one where it would be put: then *ret_node is 0. */
static inline struct stack_slot *find_child(const struct stack_tree *tree, uint32_t parent, uint64_t address,
					    uint32_t *ret_node)
{
	uint64_t hash = (address + parent * tree->parent_factor) * tree->factor;
	struct stack_slot *table = tree->slots + ((size_t)1 << tree->bits);
	uint32_t at = (uint32_t)(hash >> (64 - tree->bits)), mask = (1u << tree->bits) - 1;

	for (;; at = (at + 1) & mask) {
		struct stack_slot *slot = &table[at];
		uint32_t node = slot->node - tree->base;

		if (node >= tree->count) {
			*ret_node = 0;
			return slot;
		}
		if (slot->address == address && slot->parent == parent) {
			*ret_node = node;
			return slot;
		}
	}
}

/* Moves the live slots to the next larger table. */
static void grow(struct stack_tree *tree)
{
	struct stack_slot *old = tree->slots + ((size_t)1 << tree->bits);
	size_t count = (size_t)1 << tree->bits;

	tree->bits++;
	for (size_t i = 0; i < count; i++) {
		uint32_t node;

		if (old[i].node - tree->base < tree->count)
			*find_child(tree, old[i].parent, old[i].address, &node) = old[i];
	}
}

static uint32_t add_child(struct stack_tree *tree, struct stack_slot *slot, uint32_t parent, uint64_t address)
{
	uint32_t node = tree->count++;

	*slot = (struct stack_slot){.address = address, .parent = parent, .node = tree->base + node};
	tree->previous[node] = tree->previous[parent] = address;
	tree->recent[node] = (struct stack_recent){0};
	tree->recent[parent] = (struct stack_recent){.address = address, .child = node};
	if (tree->count > 1u << (tree->bits - 1) && tree->bits < MOST_BITS)
		grow(tree);
	return node;
}

uint8_t *stack_tree_put(struct stack_tree *tree, uint32_t root, const uint64_t *frames, uint32_t count, uint8_t *at,
			uint32_t *ret_leaf)
{
	struct stack_slot *slot = NULL;
	uint32_t parent = root, child;

	for (; count; count--, parent = child) {
		struct stack_recent *recent = &tree->recent[parent];
		uint64_t address = frames[count - 1];

		child = recent->address == address ? recent->child : 0;
		if (child)
			continue;
		slot = find_child(tree, parent, address, &child);
		if (!child)
			break;
		*recent = (struct stack_recent){.address = address, .child = child};
	}
	at = varint_put(at, parent);
	at = varint_put(at, count);
	while (count) {
		uint64_t address = frames[count - 1];

		at = zigzag_put(at, address - tree->previous[parent]);
		parent = add_child(tree, slot, parent, address);
		if (--count)
			slot = find_child(tree, parent, frames[count - 1], &child);
	}
	*ret_leaf = parent;
	return at;
}
