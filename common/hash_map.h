/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Hashing: of numbers (hash_...), into an index of the owner's array (index_table), of byte strings that are copied
 * (hash_map), and of call chains (chain_key). All but the first are seeded, so that a hostile trace or host cannot
 * force collisions.
 */
#ifndef RWALKER_COMMON_HASH_MAP_H
#define RWALKER_COMMON_HASH_MAP_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array.h"

/* From the kernel, for seeds and factors. 0, or -errno if it provides none. */
int random_bytes(void *bytes, size_t length);

/*
 * Hashes of numbers, for caches and tables in memory in which nobody gains anything by collisions.
 * Files must not depend on them.
 *
 * Spreading is Knuth's multiplicative hashing with 2^64 or 2^32 divided by the golden ratio (The
 * Art of Computer Programming 3, 6.4): keys that follow each other are put far apart. Only the
 * upper bits of the product are good.
 */
#define HASH_GOLDEN UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t hash_spread(uint64_t key)
{
	return key * HASH_GOLDEN;
}

static inline uint32_t hash_spread_32(uint32_t key)
{
	return key * UINT32_C(0x9e3779b1);
}

/* A slot in a table of 1 << bits slots; 1 to 32 bits. */
static inline uint32_t hash_slot(uint64_t key, unsigned int bits)
{
	return (uint32_t)(hash_spread(key) >> (64 - bits));
}

/* A bijection that mixes all bits: David Stafford's variant 13 of the MurmurHash3 finalizer. */
static inline uint64_t hash_mix(uint64_t value)
{
	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
	value = (value ^ value >> 27) * 0x94d049bb133111eb;
	return value ^ value >> 31;
}

/*
 * Finds items of the owner's array by their content: an open-addressing table of (hash, number)
 * pairs, eight bytes a slot, nothing else. The owner hashes, compares and keeps the items, and never
 * removes one; index_table_clear() removes all. It is the basis of interning: every node, frame, task
 * and entry of a profile is looked up here once per event that is new to its chunk.
 */
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
static inline __attribute__((always_inline)) int index_table_add(struct index_table *table, uint32_t hash,
								 index_equal *equal, const void *context,
								 uint32_t number, uint32_t *ret_number)
{
	struct index_slot *slot = index_table_find(table, hash, equal, context);

	if (!slot)
		return -ENOMEM;
	*ret_number = slot->number ? slot->number - 1 : number;
	if (slot->number)
		return 0;
	index_table_set(table, slot, hash, number);
	return 1;
}

/*
 * Byte strings, which are copied in, to 64-bit values, by an index_table of SipHash-1-3. It either grows
 * (hash_map_init) or has all its memory allocated at the start (hash_map_init_fixed), for the recorder: then an
 * insertion into a full table is -ENOSPC and nothing is ever allocated again. Entries are never removed one by
 * one; hash_map_clear() empties the table.
 */
struct hash_entry {
	uint64_t value;
	size_t key; /* offset in the keys */
	uint32_t length;
};

struct hash_map {
	struct index_table table;
	ARRAY(struct hash_entry) entries; /* as they were added */
	ARRAY(unsigned char) keys;	  /* concatenated */
	bool fixed;
};

int hash_map_init(struct hash_map *map);
/* Room for `entries` keys of `key_bytes` bytes in all. */
int hash_map_init_fixed(struct hash_map *map, size_t entries, size_t key_bytes);
/* What such a map takes for its entries, beside the bytes of keys. */
size_t hash_map_fixed_memory(size_t entries);
void hash_map_deinit(struct hash_map *map);
void hash_map_clear(struct hash_map *map);

/* The value of a key, or NULL if it is absent; valid until the next insertion. */
uint64_t *hash_map_find(const struct hash_map *map, const void *key, size_t length);

/*
 * Finds the key or inserts it with `value`. 1: inserted; 0: it was there (value unchanged);
 * -ENOMEM or -ENOSPC. *ret_value (may be NULL) points to the value, valid until the next
 * insertion.
 */
int hash_map_add(struct hash_map *map, const void *key, size_t length, uint64_t value, uint64_t **ret_value);

/* Iterates over all entries, as they were added: start with *cursor = 0; false at the end. */
bool hash_map_next(const struct hash_map *map, size_t *cursor, const void **ret_key, size_t *ret_length,
		   uint64_t *ret_value);

/*
 * A 128-bit hash of a call chain, to find out whether a chain is known without looking up each
 * frame in a table. It is the sum of all frames, each multiplied by a factor for its position;
 * factors are random per table (multilinear hashing: Carter and Wegman, "Universal classes of hash
 * functions", 1979): two different chains have the same key with a probability of at most 2^-63,
 * and an attacker cannot choose addresses that collide.
 */
enum { CHAIN_KEY_FRAMES = 128 }; /* at most */

struct chain_key {
	uint64_t low, high;
};

struct chain_factors {
	uint64_t of[CHAIN_KEY_FRAMES], of_length, of_owner;
};

/* 0, or -errno if the kernel provides no random numbers. */
static inline int chain_factors_draw(struct chain_factors *factors)
{
	return random_bytes(factors, sizeof(*factors));
}

/*
 * The key of `count` frames, at most CHAIN_KEY_FRAMES. The same frames with another owner or kind
 * (below 2^32) are a different chain.
 */
static inline struct chain_key chain_key(const struct chain_factors *factors, const uint64_t *frames, uint32_t count,
					 uint32_t kind, uint64_t owner)
{
	unsigned __int128 sum = (unsigned __int128)factors->of_length * ((uint64_t)kind << 32 | count);

	sum += (unsigned __int128)factors->of_owner * owner;
	for (uint32_t i = 0; i < count; i++)
		sum += (unsigned __int128)factors->of[i] * frames[i];
	return (struct chain_key){(uint64_t)sum, (uint64_t)(sum >> 64)};
}

static inline bool chain_key_equal(const struct chain_key *a, const struct chain_key *b)
{
	return a->low == b->low && a->high == b->high;
}

/* A slot in a table of 1 << bits slots. */
static inline uint32_t chain_key_slot(const struct chain_key *key, unsigned int bits)
{
	return (uint32_t)(key->low >> (64 - bits));
}

#endif
