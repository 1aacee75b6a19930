/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/flight/fact_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash_map.h"

enum { KEY_BYTES = 32 /* on average; longer ones are rare */ };

struct record { /* followed by the key and the bytes, each padded to 8 bytes */
	uint64_t time;
	uint32_t key_length, length;
};

struct half {
	struct hash_map places; /* by key: offset of the record plus 1; 0: removed */
	uint8_t *bytes;
	size_t used;
};

struct fact_store {
	struct half halves[2];
	unsigned int current;
	size_t room, settled; /* settled: bytes in use after the last collection */
	size_t futile; /* how many facts are left out before it is worth collecting again */
	fact_is_stale *is_stale;
	const void *context;
	uint64_t left_out;
};

static size_t padded(size_t length)
{
	return (length + 7) & ~(size_t)7;
}

static size_t record_bytes(size_t key_length, size_t length)
{
	return sizeof(struct record) + padded(key_length) + padded(length);
}

static const struct record *record_at(const struct half *half, size_t at)
{
	return (const void *)(half->bytes + at);
}

static struct fact fact_at(const struct half *half, size_t at)
{
	const struct record *record = record_at(half, at);
	const uint8_t *key = (const void *)(record + 1);

	return (struct fact){.key = key, .bytes = key + padded(record->key_length), .key_length = record->key_length,
			     .length = record->length, .time = record->time};
}

static size_t after(const struct half *half, size_t at)
{
	const struct record *record = record_at(half, at);

	return at + record_bytes(record->key_length, record->length);
}

static int half_init(struct half *half, size_t bytes, size_t entries)
{
	half->bytes = malloc(bytes);
	if (!half->bytes)
		return -ENOMEM;
	return hash_map_init_fixed(&half->places, entries, entries * KEY_BYTES);
}

static void half_deinit(struct half *half)
{
	hash_map_deinit(&half->places);
	free(half->bytes);
}

size_t fact_store_memory(size_t bytes, size_t entries)
{
	return 2 * (bytes + entries * KEY_BYTES + hash_map_fixed_memory(entries));
}

int fact_store_create(size_t bytes, size_t entries, fact_is_stale *is_stale, const void *context,
		      struct fact_store **ret_store)
{
	struct fact_store *store = calloc(1, sizeof(*store));
	int r;

	if (!store)
		return -ENOMEM;
	store->room = bytes;
	store->is_stale = is_stale;
	store->context = context;
	r = half_init(&store->halves[0], bytes, entries);
	if (r >= 0)
		r = half_init(&store->halves[1], bytes, entries);
	if (r < 0) {
		fact_store_destroy(store);
		return r;
	}
	*ret_store = store;
	return 0;
}

void fact_store_destroy(struct fact_store *store)
{
	if (!store)
		return;
	half_deinit(&store->halves[0]);
	half_deinit(&store->halves[1]);
	free(store);
}

/* 0, -ENOSPC. */
static int append(struct fact_store *store, struct half *half, const struct fact *fact)
{
	const struct record record = {fact->time, fact->key_length, fact->length};
	uint8_t *at = half->bytes + half->used;
	uint64_t *place;
	int r;

	if (store->room - half->used < record_bytes(fact->key_length, fact->length))
		return -ENOSPC;
	r = hash_map_add(&half->places, fact->key, fact->key_length, 0, &place);
	if (r < 0)
		return r;
	*place = half->used + 1;
	memcpy(at, &record, sizeof(record));
	memcpy(at + sizeof(record), fact->key, fact->key_length);
	if (fact->length)
		memcpy(at + sizeof(record) + padded(fact->key_length), fact->bytes, fact->length);
	half->used += record_bytes(fact->key_length, fact->length);
	return 0;
}

static bool is_current(const struct half *half, const struct fact *fact, size_t at)
{
	const uint64_t *place = hash_map_find(&half->places, fact->key, fact->key_length);

	return place && *place == at + 1;
}

static void collect(struct fact_store *store)
{
	struct half *from = &store->halves[store->current], *to = &store->halves[!store->current];

	for (size_t at = 0; at < from->used; at = after(from, at)) {
		struct fact fact = fact_at(from, at);

		if (is_current(from, &fact, at) && !(store->is_stale && store->is_stale(store->context, &fact)))
			(void)append(store, to, &fact); /* it fits: the copy is no larger than the original */
	}
	hash_map_clear(&from->places);
	from->used = 0;
	store->current = !store->current;
	store->settled = to->used;
}

/* Collecting then makes the touched pages grow with the number of facts, not with time. */
static bool is_mostly_superseded(const struct fact_store *store)
{
	enum { LEAST = 1 << 18 };

	return store->halves[store->current].used > 2 * store->settled + LEAST;
}

/* Overwrites the earlier fact if the new one has the same length. */
static bool replace(struct half *half, const struct fact *fact)
{
	const uint64_t *place = hash_map_find(&half->places, fact->key, fact->key_length);
	struct record *record = place && *place ? (void *)(half->bytes + *place - 1) : NULL;

	if (!record || record->length != fact->length)
		return false;
	record->time = fact->time;
	memcpy((uint8_t *)(record + 1) + padded(record->key_length), fact->bytes, fact->length);
	return true;
}

void fact_store_put(struct fact_store *store, const struct fact *fact)
{
	if (replace(&store->halves[store->current], fact))
		return;
	if (!is_mostly_superseded(store) && append(store, &store->halves[store->current], fact) >= 0)
		return;
	if (!store->futile) {
		collect(store);
		if (append(store, &store->halves[store->current], fact) >= 0)
			return;
		store->futile = store->halves[store->current].places.count / 16 + 1;
	}
	store->futile--;
	store->left_out++;
}

void fact_store_remove(struct fact_store *store, const void *key, size_t length)
{
	uint64_t *place = hash_map_find(&store->halves[store->current].places, key, length);

	if (place)
		*place = 0;
}

bool fact_store_find(const struct fact_store *store, const void *key, size_t length, struct fact *ret_fact)
{
	const struct half *half = &store->halves[store->current];
	const uint64_t *place = hash_map_find(&half->places, key, length);

	if (!place || !*place)
		return false;
	*ret_fact = fact_at(half, *place - 1);
	return true;
}

bool fact_store_next(const struct fact_store *store, size_t *cursor, struct fact *ret_fact)
{
	const struct half *half = &store->halves[store->current];

	while (*cursor < half->used) {
		size_t at = *cursor;

		*ret_fact = fact_at(half, at);
		*cursor = after(half, at);
		if (is_current(half, ret_fact, at))
			return true;
	}
	return false;
}

uint64_t fact_store_left_out(const struct fact_store *store)
{
	return store->left_out;
}

size_t fact_store_count(const struct fact_store *store)
{
	return store->halves[store->current].places.count;
}
