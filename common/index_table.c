/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/index_table.h"

#include <stdlib.h>
#include <string.h>

#include "common/random_bytes.h"

enum { INITIAL_CAPACITY = 64 };

static const size_t CAPACITY_MAX = (size_t)1 << 31;

int index_table_init(struct index_table *table)
{
	int r;

	*table = (struct index_table){.capacity = INITIAL_CAPACITY};
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
	if (table->capacity > INITIAL_CAPACITY && table->count < table->capacity / 16) {
		struct index_slot *small = calloc(INITIAL_CAPACITY, sizeof(*small));

		if (small) {
			free(table->slots);
			table->slots = small;
			table->capacity = INITIAL_CAPACITY;
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
