/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/number_table.h"

#include <errno.h>
#include <stdlib.h>

#include "common/random_bytes.h"

enum { INITIAL_CAPACITY = 64 };

int number_table_init(struct number_table *table)
{
	int r;

	*table = (struct number_table){.capacity = INITIAL_CAPACITY};
	r = random_bytes(&table->seed, sizeof(table->seed));
	if (r < 0)
		return r;
	table->slots = calloc(table->capacity, sizeof(*table->slots));
	return table->slots ? 0 : -ENOMEM;
}

void number_table_deinit(struct number_table *table)
{
	free(table->slots);
	*table = (struct number_table){0};
}

uint32_t number_table_hash(const struct number_table *table, const uint32_t *words, size_t count)
{
	uint64_t hash = table->seed;

	for (size_t i = 0; i < count; i++) {
		hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15); /* 2^64 divided by the golden ratio */
		hash ^= hash >> 32;
	}
	return (uint32_t)(hash ^ table->seed >> 32);
}

/* The first free slot behind where the hash points. */
static struct number_slot *find_free(struct number_slot *slots, size_t capacity, uint32_t hash)
{
	size_t at = hash & (capacity - 1);

	while (slots[at].number)
		at = (at + 1) & (capacity - 1);
	return &slots[at];
}

static int grow(struct number_table *table)
{
	size_t capacity = table->capacity * 2;
	struct number_slot *slots = calloc(capacity, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < table->capacity; i++)
		if (table->slots[i].number)
			*find_free(slots, capacity, table->slots[i].hash) = table->slots[i];
	free(table->slots);
	table->slots = slots;
	table->capacity = capacity;
	return 0;
}

int number_table_add(struct number_table *table, uint32_t hash, number_same *same, const void *context,
		     uint32_t number, uint32_t *ret_number)
{
	for (size_t at = hash;; at++) {
		const struct number_slot *slot = &table->slots[at & (table->capacity - 1)];

		if (!slot->number)
			break;
		if (slot->hash != hash || !same(context, slot->number - 1))
			continue;
		*ret_number = slot->number - 1;
		return 0;
	}
	if (table->count >= table->capacity / 4 * 3 && grow(table) < 0)
		return -ENOMEM;
	*find_free(table->slots, table->capacity, hash) = (struct number_slot){.hash = hash, .number = number + 1};
	table->count++;
	*ret_number = number;
	return 1;
}
