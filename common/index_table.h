/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds items of the owner's array by their content: an open-addressing table of (hash, number)
 * pairs, eight bytes a slot, nothing else (common/hash_map.h copies its keys). The owner hashes,
 * compares and keeps the items, and never removes one; index_table_clear() removes all. It is the
 * basis of interning: every node, frame, task and entry of a profile is looked up here once per
 * event that is new to its chunk. Hashes are seeded per table, so that a hostile trace cannot
 * force collisions.
 */
#ifndef RWALKER_COMMON_INDEX_TABLE_H
#define RWALKER_COMMON_INDEX_TABLE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/hash.h"

struct index_slot {
	uint32_t hash;
	uint32_t number; /* of the item, plus 1; 0: free */
};

struct index_table {
	struct index_slot *slots;
	size_t capacity, count; /* a power of two; at most 2/3 are used */
	uint64_t seed[2];
};

int index_table_init(struct index_table *table);
void index_table_deinit(struct index_table *table);
/* Takes time proportional to the entries added since the last call. */
void index_table_clear(struct index_table *table);
/* Makes room for one more. -ENOMEM. */
int index_table_grow(struct index_table *table);

static inline uint32_t index_table_hash(const struct index_table *table, uint64_t a, uint64_t b)
{
	__uint128_t product = (__uint128_t)(a ^ table->seed[0]) * (b ^ table->seed[1] ^ (a << 32 | a >> 32));

	return hash_slot((uint64_t)product ^ (uint64_t)(product >> 64), 32);
}

/* The same for any number of words. */
uint32_t index_table_hash_words(const struct index_table *table, const uint32_t *words, size_t count);

/* Whether item `number` is the one looked for; `context` is the caller's. */
typedef bool index_equal(const void *context, uint32_t number);

/*
 * The slot of the item, or the free slot for it: then the caller appends the item to its array and
 * calls index_table_set(). NULL: no memory.
 */
static inline __attribute__((always_inline)) struct index_slot *
index_table_find(struct index_table *table, uint32_t hash, index_equal *equal, const void *context)
{
	if (table->count >= table->capacity / 3 * 2 && index_table_grow(table) < 0)
		return NULL;
	for (size_t at = hash & (table->capacity - 1);; at = (at + 1) & (table->capacity - 1)) {
		struct index_slot *slot = &table->slots[at];

		if (!slot->number || (slot->hash == hash && equal(context, slot->number - 1)))
			return slot;
	}
}

/* The slot of the item, NULL if it is not in the table. */
static inline __attribute__((always_inline)) const struct index_slot *
index_table_lookup(const struct index_table *table, uint32_t hash, index_equal *equal, const void *context)
{
	for (size_t at = hash & (table->capacity - 1);; at = (at + 1) & (table->capacity - 1)) {
		const struct index_slot *slot = &table->slots[at];

		if (!slot->number || (slot->hash == hash && equal(context, slot->number - 1)))
			return slot->number ? slot : NULL;
	}
}

static inline void index_table_set(struct index_table *table, struct index_slot *slot, uint32_t hash, uint32_t number)
{
	*slot = (struct index_slot){.hash = hash, .number = number + 1};
	table->count++;
}

/*
 * Find and set in one call: 1: the item is new and has `number`; 0: it was there; -ENOMEM.
 * *ret_number is its number.
 */
int index_table_add(struct index_table *table, uint32_t hash, index_equal *equal, const void *context, uint32_t number,
		    uint32_t *ret_number);

#endif
