/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds the number of a thing that was met before. The things are the caller's, and so are their numbers: he hashes the
 * words that a thing is made of and says whether it is the same as the one with a given number. So a thing costs 11 to 22
 * bytes here, however large it is; for keys that should be copied there is common/hash_map.h. The hash has a seed
 * per table, so that a hostile trace cannot aim at one slot.
 */
#ifndef RWALKER_REPORT_VIEW_NUMBER_TABLE_H
#define RWALKER_REPORT_VIEW_NUMBER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct number_table {
	struct number_slot {
		uint32_t hash, number; /* number: and one more; 0: the slot is free */
	} *slots;
	size_t capacity, count; /* slots are a power of two; at most 3/4 are used */
	uint64_t seed;
};

/* Whether the thing that is looked for, in `context`, is that with the number. */
typedef bool number_same(const void *context, uint32_t number);

int number_table_init(struct number_table *table);
void number_table_deinit(struct number_table *table);

uint32_t number_table_hash(const struct number_table *table, const uint32_t *words, size_t count);

/* 1: it is new and gets `number`, which is below UINT32_MAX; 0: it was there; -ENOMEM. *ret_number is what it has. */
int number_table_add(struct number_table *table, uint32_t hash, number_same *same, const void *context,
		     uint32_t number, uint32_t *ret_number);

#endif
