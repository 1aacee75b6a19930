/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/hash_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/types.h>

/* --- random bytes --- */

int random_bytes(void *bytes, size_t length)
{
	for (size_t done = 0; done < length;) { /* a signal may cut short reads of more than 256 bytes */
		ssize_t drawn = getrandom((char *)bytes + done, length - done, 0);

		if (drawn < 0 && errno == EINTR)
			continue;
		if (drawn <= 0)
			return drawn < 0 ? -errno : -EIO;
		done += (size_t)drawn;
	}
	return 0;
}

/* --- index table --- */

enum { INDEX_CAPACITY = 64 };

static const size_t CAPACITY_MAX = (size_t)1 << 31; /* slots, limited by 32 bits of hash */

int index_table_init(struct index_table *table)
{
	int r;

	*table = (struct index_table){.capacity = INDEX_CAPACITY};
	r = random_bytes(table->seed, sizeof(table->seed));
	if (r < 0)
		return r;
	table->slots = calloc(table->capacity, sizeof(*table->slots));
	return table->slots ? 0 : -ENOMEM;
}

void index_table_deinit(struct index_table *table)
{
	free(table->slots);
	*table = (struct index_table){0};
}

void index_table_clear(struct index_table *table)
{
	/* A table that one large chunk enlarged must not be cleared completely for every small one after it. */
	if (table->capacity > INDEX_CAPACITY && table->count < table->capacity / 16) {
		struct index_slot *small = calloc(INDEX_CAPACITY, sizeof(*small));

		if (small) {
			free(table->slots);
			table->slots = small;
			table->capacity = INDEX_CAPACITY;
			table->count = 0;
			return;
		}
	}
	memset(table->slots, 0, table->capacity * sizeof(*table->slots));
	table->count = 0;
}

int index_table_grow(struct index_table *table)
{
	size_t capacity = table->capacity * 2;
	struct index_slot *slots;

	if (capacity > CAPACITY_MAX)
		return -ENOMEM;
	slots = calloc(capacity, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < table->capacity; i++) {
		size_t at = table->slots[i].hash & (capacity - 1);

		if (!table->slots[i].number)
			continue;
		while (slots[at].number)
			at = (at + 1) & (capacity - 1);
		slots[at] = table->slots[i];
	}
	free(table->slots);
	table->slots = slots;
	table->capacity = capacity;
	return 0;
}

uint32_t index_table_hash_words(const struct index_table *table, const uint32_t *words, size_t count)
{
	uint32_t hash = 0;

	for (size_t i = 0; i < count; i++)
		hash = index_table_hash(table, hash, words[i]);
	return hash;
}

/* --- hash map --- */

static uint64_t rotate_left(uint64_t value, unsigned int bits)
{
	return value << bits | value >> (64 - bits);
}

/* One SipRound: Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012, figure 2.1. */
static void sip_round(uint64_t v[static 4])
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = rotate_left(v[1], 13) ^ v[0];
	v[3] = rotate_left(v[3], 16) ^ v[2];
	v[0] = rotate_left(v[0], 32);
	v[2] += v[1];
	v[0] += v[3];
	v[1] = rotate_left(v[1], 17) ^ v[2];
	v[3] = rotate_left(v[3], 21) ^ v[0];
	v[2] = rotate_left(v[2], 32);
}

/* SipHash with one round per word and three at the end. */
static uint64_t siphash13(const uint64_t seed[static 2], const void *key, size_t length)
{
	const unsigned char *bytes = key;
	uint64_t v[4] = {seed[0] ^ 0x736f6d6570736575, seed[1] ^ 0x646f72616e646f6d,
			 seed[0] ^ 0x6c7967656e657261, seed[1] ^ 0x7465646279746573};
	size_t at = 0;

	while (at <= length) {
		size_t piece = length - at < 8 ? length - at : 8;
		uint64_t word = piece < 8 ? (uint64_t)length << 56 : 0;

		for (size_t i = 0; i < piece; i++)
			word |= (uint64_t)bytes[at + i] << (8 * i);
		v[3] ^= word;
		sip_round(v);
		v[0] ^= word;
		at += 8;
	}
	v[2] ^= 0xff;
	for (int i = 0; i < 3; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static uint32_t key_hash(const struct hash_map *map, const void *key, size_t length)
{
	uint64_t hash = siphash13(map->table.seed, key, length);

	return (uint32_t)(hash ^ hash >> 32);
}

int hash_map_init(struct hash_map *map)
{
	*map = (struct hash_map){0};
	return index_table_init(&map->table);
}

/* The least capacity with which a table of so many never grows; SIZE_MAX: there is none. */
static size_t capacity_for(size_t entries)
{
	size_t capacity = INDEX_CAPACITY;

	while (capacity / 3 * 2 <= entries)
		if (__builtin_mul_overflow(capacity, 2, &capacity))
			return SIZE_MAX;
	return capacity;
}

size_t hash_map_fixed_memory(size_t entries)
{
	return capacity_for(entries) * sizeof(struct index_slot) + entries * sizeof(struct hash_entry);
}

int hash_map_init_fixed(struct hash_map *map, size_t entries, size_t key_bytes)
{
	const size_t capacity = capacity_for(entries);
	struct hash_map made = {.fixed = true, .entries.capacity = entries, .keys.capacity = key_bytes};
	int r = index_table_init(&made.table);

	while (!r && made.table.capacity < capacity)
		r = index_table_grow(&made.table);
	made.entries.items = calloc(entries + 1, sizeof(*made.entries.items));
	made.keys.items = malloc(key_bytes + 1);
	if (r < 0 || !made.entries.items || !made.keys.items) {
		hash_map_deinit(&made);
		return r < 0 ? r : -ENOMEM;
	}
	*map = made;
	return 0;
}

void hash_map_deinit(struct hash_map *map)
{
	index_table_deinit(&map->table);
	array_free(&map->entries);
	array_free(&map->keys);
	*map = (struct hash_map){0};
}

void hash_map_clear(struct hash_map *map)
{
	if (map->entries.count && map->fixed)
		memset(map->table.slots, 0, map->table.capacity * sizeof(*map->table.slots));
	if (map->entries.count && !map->fixed)
		index_table_clear(&map->table);
	map->table.count = map->entries.count = map->keys.count = 0;
}

struct wanted_key {
	const struct hash_map *map;
	const void *key;
	size_t length;
};

static bool is_wanted(const void *context, uint32_t number)
{
	const struct wanted_key *wanted = context;
	const struct hash_entry *entry = &wanted->map->entries.items[number];

	return entry->length == wanted->length &&
	       (!entry->length || !memcmp(wanted->map->keys.items + entry->key, wanted->key, entry->length));
}

uint64_t *hash_map_find(const struct hash_map *map, const void *key, size_t length)
{
	const struct wanted_key wanted = {map, key, length};
	const struct index_slot *slot = NULL;

	if (map->entries.count)
		slot = index_table_lookup(&map->table, key_hash(map, key, length), is_wanted, &wanted);
	return slot ? &map->entries.items[slot->number - 1].value : NULL;
}

/* Room for one more key of that length. */
static int make_room(struct hash_map *map, size_t length)
{
	const size_t count = map->entries.count + 1;
	size_t bytes;

	if (length > UINT32_MAX || __builtin_add_overflow(map->keys.count, length, &bytes))
		return map->fixed ? -ENOSPC : -ENOMEM;
	if (map->fixed)
		return count > map->entries.capacity || bytes > map->keys.capacity ? -ENOSPC : 0;
	return array_reserve(&map->entries, count) < 0 || array_reserve(&map->keys, bytes) < 0 ? -ENOMEM : 0;
}

int hash_map_add(struct hash_map *map, const void *key, size_t length, uint64_t value, uint64_t **ret_value)
{
	const struct wanted_key wanted = {map, key, length};
	const uint32_t hash = key_hash(map, key, length);
	struct index_slot *slot = index_table_find(&map->table, hash, is_wanted, &wanted);
	bool absent;
	int r;

	if (!slot)
		return -ENOMEM;
	absent = !slot->number;
	if (absent) {
		r = make_room(map, length);
		if (r < 0)
			return r;
		index_table_set(&map->table, slot, hash, (uint32_t)map->entries.count);
		map->entries.items[map->entries.count++] =
			(struct hash_entry){.value = value, .key = map->keys.count, .length = (uint32_t)length};
		if (length)
			memcpy(map->keys.items + map->keys.count, key, length);
		map->keys.count += length;
	}
	if (ret_value)
		*ret_value = &map->entries.items[slot->number - 1].value;
	return absent;
}

bool hash_map_next(const struct hash_map *map, size_t *cursor, const void **ret_key, size_t *ret_length,
		   uint64_t *ret_value)
{
	const struct hash_entry *entry;

	if (*cursor >= map->entries.count)
		return false;
	entry = &map->entries.items[(*cursor)++];
	if (ret_key)
		*ret_key = map->keys.items + entry->key;
	if (ret_length)
		*ret_length = entry->length;
	if (ret_value)
		*ret_value = entry->value;
	return true;
}
