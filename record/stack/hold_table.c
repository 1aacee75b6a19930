/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/stack/hold_table.h"

#include <errno.h>
#include <stdlib.h>

#include "common/hash.h"

int hold_table_init(struct hold_table *table, const struct hold_limits *limits)
{
	uint64_t wanted = (uint64_t)limits->threads * 2, count = HOLD_WAYS;

	if (wanted < limits->least)
		wanted = limits->least;
	while (count < wanted && count * 2 * limits->place <= limits->most)
		count *= 2;
	table->count = (uint32_t)count;
	table->holds = calloc(count, sizeof(*table->holds));
	return table->holds ? 0 : -ENOMEM;
}

void hold_table_deinit(struct hold_table *table)
{
	free(table->holds);
	*table = (struct hold_table){0};
}

/* Threads of one process have tids close to each other. */
static struct hold *set_of(const struct hold_table *table, uint32_t tid)
{
	uint64_t sets = table->count / HOLD_WAYS;

	return table->holds + (hash_spread_32(tid) * sets >> 32) * HOLD_WAYS;
}

static unsigned int any_way(uint64_t out)
{
	return hash_slot(out, 32) % HOLD_WAYS;
}

/* Returns the thread's own place, or a free one, or any. */
static struct hold *place_of(const struct hold_table *table, uint32_t tid, uint64_t out)
{
	struct hold *set = set_of(table, tid), *place = set + any_way(out);

	for (struct hold *hold = set; hold < set + HOLD_WAYS; hold++) {
		if (hold->tid == tid)
			return hold;
		if (!hold->out)
			place = hold;
	}
	return place;
}

uint32_t hold_table_put(struct hold_table *table, uint32_t tid, uint64_t out)
{
	struct hold *place = place_of(table, tid, out);

	*place = (struct hold){out, tid};
	return (uint32_t)(place - table->holds);
}

bool hold_table_take(struct hold_table *table, uint32_t tid, uint64_t out, uint32_t *ret_place)
{
	struct hold *set = set_of(table, tid);

	for (struct hold *hold = set; hold < set + HOLD_WAYS; hold++)
		if (hold->tid == tid && hold->out == out && out) {
			hold->out = 0;
			*ret_place = (uint32_t)(hold - table->holds);
			return true;
		}
	return false;
}
