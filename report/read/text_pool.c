/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/read/text_pool.h"

#include <string.h>

enum { BLOCK_BYTES = 64 << 10 };

int text_pool_init(struct text_pool *pool)
{
	*pool = (struct text_pool){0};
	return index_table_init(&pool->table);
}

void text_pool_deinit(struct text_pool *pool)
{
	for (size_t i = 0; i < pool->blocks.count; i++)
		free(pool->blocks.items[i]);
	array_free(&pool->blocks);
	array_free(&pool->texts);
	index_table_deinit(&pool->table);
}

/*
 * Two sums over the bytes, which the table's seeded hash then mixes. The seed is used here, too:
 * otherwise an attacker could craft texts with equal sums.
 */
static uint32_t text_hash(const struct text_pool *pool, const void *bytes, size_t length)
{
	const unsigned char *byte = bytes;
	uint64_t a = pool->table.seed[0] | 1, b = length;

	for (size_t i = 0; i < length; i += 8) {
		uint64_t word = 0;
		__uint128_t product;

		memcpy(&word, byte + i, length - i < 8 ? length - i : 8);
		product = (__uint128_t)(word ^ a) * (pool->table.seed[1] | 1);
		a = (uint64_t)product + (uint64_t)(product >> 64) + b;
		b ^= a;
	}
	return index_table_hash(&pool->table, a, b);
}

struct wanted_text {
	const struct text_pool *pool;
	const void *bytes;
	size_t length;
};

static bool same_text(const void *context, uint32_t number)
{
	const struct wanted_text *wanted = context;
	const struct text_place *place = &wanted->pool->texts.items[number];

	return place->length == wanted->length && !memcmp(place->bytes, wanted->bytes, wanted->length);
}

static char *pool_room(struct text_pool *pool, size_t length)
{
	char *room;

	if (length > pool->left) {
		size_t block = length > BLOCK_BYTES ? length : BLOCK_BYTES;
		char *bytes = malloc(block);

		if (!bytes || array_push(&pool->blocks, bytes) < 0) {
			free(bytes);
			return NULL;
		}
		pool->next = bytes;
		pool->left = block;
	}
	room = pool->next;
	pool->next += length;
	pool->left -= length;
	return room;
}

int text_pool_add(struct text_pool *pool, const void *bytes, size_t length, const char **ret_text)
{
	struct wanted_text wanted = {.pool = pool, .bytes = length ? bytes : "", .length = length};
	uint32_t hash = text_hash(pool, wanted.bytes, length);
	struct index_slot *slot = index_table_find(&pool->table, hash, same_text, &wanted);
	char *copy;

	if (!slot || length >= UINT32_MAX)
		return -ENOMEM;
	if (!slot->number) {
		copy = pool_room(pool, length + 1);
		if (!copy)
			return -ENOMEM;
		memcpy(copy, wanted.bytes, length);
		copy[length] = '\0';
		if (array_push(&pool->texts,
			       (struct text_place){.bytes = copy, .length = (uint32_t)length}) < 0)
			return -ENOMEM;
		index_table_set(&pool->table, slot, hash, (uint32_t)(pool->texts.count - 1));
	}
	*ret_text = pool->texts.items[slot->number - 1].bytes;
	return 0;
}
