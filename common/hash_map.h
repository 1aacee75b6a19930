/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One hash table for both programs: byte strings to 64-bit values, open addressing, linear
 * probing. Keys are copied in. The hash is SipHash-1-3 with a key drawn per table, so that a
 * hostile trace cannot force collisions. It either grows (hash_map_init) or has all its memory
 * allocated at the start (hash_map_init_fixed), for the recorder: then an insertion into a full
 * table is -ENOSPC and nothing is ever allocated again. Entries are never removed one by one;
 * hash_map_clear() empties the table.
 */
#ifndef RWALKER_COMMON_HASH_MAP_H
#define RWALKER_COMMON_HASH_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_slot; /* private */

struct hash_map {
	struct hash_slot *slots;
	size_t capacity, count;	 /* slots are a power of two; at most 3/4 are used */
	unsigned char *keys;	 /* the copied keys, concatenated */
	size_t keys_used, keys_room;
	uint64_t seed[2];
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

/* Iterates over all entries: start with *cursor = 0; false at the end. The order is arbitrary: sort before printing. */
bool hash_map_next(const struct hash_map *map, size_t *cursor, const void **ret_key, size_t *ret_length,
		   uint64_t *ret_value);

#endif
