/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/tool/condense_used.h"

#include <string.h>

int condense_used_init(struct condense_used *used)
{
	*used = (struct condense_used){0};
	return index_table_init(&used->table);
}

void condense_used_deinit(struct condense_used *used)
{
	index_table_deinit(&used->table);
	array_free(&used->items);
	*used = (struct condense_used){0};
}

static uint64_t owner_key(enum used_kind kind, uint32_t owner)
{
	return (uint64_t)kind << 32 | owner;
}

struct wanted_item {
	const struct condense_used *used;
	struct used_item item;
};

static bool same_item(const void *context, uint32_t number)
{
	const struct wanted_item *wanted = context;
	const struct used_item *item = &wanted->used->items.items[number];

	return item->owner == wanted->item.owner && item->value == wanted->item.value;
}

int condense_used_add(struct condense_used *used, enum used_kind kind, uint32_t owner, uint64_t value)
{
	struct wanted_item wanted = {.used = used, .item = {owner_key(kind, owner), value}};
	uint32_t hash = index_table_hash(&used->table, wanted.item.owner, value), number;
	int r;

	if (used->items.count >= UINT32_MAX || array_reserve(&used->items, used->items.count + 1) < 0)
		return -ENOMEM;
	r = index_table_add(&used->table, hash, same_item, &wanted, (uint32_t)used->items.count, &number);
	if (r > 0)
		used->items.items[used->items.count++] = wanted.item;
	return r;
}

int condense_used_next(struct condense_used *used)
{
	size_t count = used->items.count;
	int r = 0;

	index_table_clear(&used->table);
	used->items.count = 0;
	used->sorted = false;
	for (size_t i = 0; i < count && r >= 0; i++) {
		const struct used_item item = used->items.items[i];

		if (item.owner >> 32 == USED_BUILD_ID)
			r = condense_used_add(used, USED_BUILD_ID, (uint32_t)item.owner, item.value);
	}
	return r < 0 ? r : 0;
}

/* --- asked by value --- */

static int compare_items(const void *left, const void *right)
{
	const struct used_item *l = left, *r = right;

	if (l->owner != r->owner)
		return l->owner < r->owner ? -1 : 1;
	return l->value < r->value ? -1 : l->value > r->value;
}

/* The table's numbers are no longer valid, so it is cleared. */
void condense_used_sort(struct condense_used *used)
{
	if (used->items.count)
		qsort(used->items.items, used->items.count, sizeof(*used->items.items), compare_items);
	index_table_clear(&used->table);
	used->sorted = true;
}

/* The first item that is not less than `wanted`. */
static size_t lower_bound(const struct condense_used *used, const struct used_item *wanted)
{
	size_t low = 0, high = used->items.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_items(&used->items.items[middle], wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool condense_used_any(const struct condense_used *used, enum used_kind kind, uint32_t owner, uint64_t first,
		       uint64_t last)
{
	struct used_item wanted = {owner_key(kind, owner), first};
	size_t at = lower_bound(used, &wanted);

	return at < used->items.count && used->items.items[at].owner == wanted.owner &&
	       used->items.items[at].value <= last;
}

bool condense_used_has(const struct condense_used *used, enum used_kind kind, uint32_t owner, uint64_t value)
{
	struct wanted_item wanted = {.used = used, .item = {owner_key(kind, owner), value}};

	if (used->sorted)
		return condense_used_any(used, kind, owner, value, value);
	return index_table_lookup(&used->table, index_table_hash(&used->table, wanted.item.owner, value), same_item,
				  &wanted);
}
