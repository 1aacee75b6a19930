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

int index_table_add(struct index_table *table, uint32_t hash, index_equal *equal, const void *context, uint32_t number,
		    uint32_t *ret_number)
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

/* --- hash map --- */

enum { MAP_CAPACITY = 16, INITIAL_KEY_BYTES = 256 };

struct hash_slot {
	uint64_t value;
	size_t key; /* offset in map->keys */
	uint32_t length;
	uint32_t hash; /* 0: the slot is free */
};

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
	uint64_t hash = siphash13(map->seed, key, length);
	uint32_t folded = (uint32_t)(hash ^ hash >> 32);

	return folded ? folded : 1;
}

static bool is_full(const struct hash_map *map)
{
	return map->count >= map->capacity / 4 * 3;
}

static int alloc_slots(size_t capacity, struct hash_slot **ret_slots)
{
	struct hash_slot *slots = capacity <= CAPACITY_MAX ? calloc(capacity, sizeof(*slots)) : NULL;

	if (!slots)
		return -ENOMEM;
	*ret_slots = slots;
	return 0;
}

static int init_with(struct hash_map *map, size_t capacity, size_t key_bytes)
{
	struct hash_map made = {.capacity = capacity, .keys_room = key_bytes ? key_bytes : 1};
	int r;

	r = random_bytes(made.seed, sizeof(made.seed));
	if (r < 0)
		return r;
	r = alloc_slots(capacity, &made.slots);
	if (r < 0)
		return r;
	made.keys = malloc(made.keys_room);
	if (!made.keys) {
		free(made.slots);
		return -ENOMEM;
	}
	*map = made;
	return 0;
}

int hash_map_init(struct hash_map *map)
{
	return init_with(map, MAP_CAPACITY, INITIAL_KEY_BYTES);
}

/* SIZE_MAX: there is none. */
static size_t capacity_for(size_t entries)
{
	size_t capacity = MAP_CAPACITY;

	while (capacity / 4 * 3 < entries)
		if (__builtin_mul_overflow(capacity, 2, &capacity))
			return SIZE_MAX;
	return capacity;
}

size_t hash_map_fixed_memory(size_t entries)
{
	return capacity_for(entries) * sizeof(struct hash_slot);
}

int hash_map_init_fixed(struct hash_map *map, size_t entries, size_t key_bytes)
{
	size_t capacity = capacity_for(entries);
	int r;

	r = capacity == SIZE_MAX ? -ENOMEM : init_with(map, capacity, key_bytes);
	if (r < 0)
		return r;
	map->fixed = true;
	return 0;
}

void hash_map_deinit(struct hash_map *map)
{
	free(map->slots);
	free(map->keys);
	*map = (struct hash_map){0};
}

void hash_map_clear(struct hash_map *map)
{
	if (map->slots)
		memset(map->slots, 0, map->capacity * sizeof(*map->slots));
	map->count = map->keys_used = 0;
}

/* The slot of the key, or the free slot for it. There is always a free one. */
static struct hash_slot *probe(const struct hash_map *map, uint32_t hash, const void *key, size_t length)
{
	size_t mask = map->capacity - 1, at = hash & mask;

	while (map->slots[at].hash) {
		const struct hash_slot *slot = &map->slots[at];

		if (slot->hash == hash && slot->length == length &&
		    (!length || !memcmp(map->keys + slot->key, key, length)))
			break;
		at = (at + 1) & mask;
	}
	return &map->slots[at];
}

uint64_t *hash_map_find(const struct hash_map *map, const void *key, size_t length)
{
	struct hash_slot *slot;

	if (!map->count)
		return NULL;
	slot = probe(map, key_hash(map, key, length), key, length);
	return slot->hash ? &slot->value : NULL;
}

static int grow_slots(struct hash_map *map)
{
	size_t capacity = map->capacity * 2, mask = capacity - 1;
	struct hash_slot *slots;
	int r = alloc_slots(capacity, &slots);

	if (r < 0)
		return r;
	for (size_t i = 0; i < map->capacity; i++) {
		size_t at = map->slots[i].hash & mask;

		if (!map->slots[i].hash)
			continue;
		while (slots[at].hash)
			at = (at + 1) & mask;
		slots[at] = map->slots[i];
	}
	free(map->slots);
	map->slots = slots;
	map->capacity = capacity;
	return 0;
}

static int grow_keys(struct hash_map *map, size_t wanted)
{
	size_t room = map->keys_room;
	unsigned char *keys;

	while (room < wanted)
		if (__builtin_mul_overflow(room, 2, &room))
			return -ENOMEM;
	keys = realloc(map->keys, room);
	if (!keys)
		return -ENOMEM;
	map->keys = keys;
	map->keys_room = room;
	return 0;
}

/* Room for one more key of that length. */
static int make_room(struct hash_map *map, size_t length)
{
	bool slots_full = is_full(map), keys_full;
	size_t wanted;
	int r = 0;

	if (length > UINT32_MAX || __builtin_add_overflow(map->keys_used, length, &wanted))
		return map->fixed ? -ENOSPC : -ENOMEM;
	keys_full = wanted > map->keys_room;
	if (map->fixed)
		return slots_full || keys_full ? -ENOSPC : 0;
	if (keys_full)
		r = grow_keys(map, wanted);
	if (!r && slots_full)
		r = grow_slots(map);
	return r;
}

int hash_map_add(struct hash_map *map, const void *key, size_t length, uint64_t value, uint64_t **ret_value)
{
	uint32_t hash = key_hash(map, key, length);
	struct hash_slot *slot = probe(map, hash, key, length);
	bool absent = !slot->hash;

	if (absent) {
		int r = make_room(map, length);

		if (r < 0)
			return r;
		slot = probe(map, hash, key, length);
		*slot = (struct hash_slot){
			.value = value, .key = map->keys_used, .length = (uint32_t)length, .hash = hash};
		if (length)
			memcpy(map->keys + map->keys_used, key, length);
		map->keys_used += length;
		map->count++;
	}
	if (ret_value)
		*ret_value = &slot->value;
	return absent;
}

bool hash_map_next(const struct hash_map *map, size_t *cursor, const void **ret_key, size_t *ret_length,
		   uint64_t *ret_value)
{
	while (*cursor < map->capacity) {
		const struct hash_slot *slot = &map->slots[(*cursor)++];

		if (!slot->hash)
			continue;
		if (ret_key)
			*ret_key = map->keys + slot->key;
		if (ret_length)
			*ret_length = slot->length;
		if (ret_value)
			*ret_value = slot->value;
		return true;
	}
	return false;
}
