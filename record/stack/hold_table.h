/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A table of data that was taken when a thread left the CPU, kept until it is known whether the
 * thread's wait gets a record: one item per thread, the latest. The hash of a thread's tid selects
 * a set; the thread may have any place of it. If others occupy them all, a random one is evicted:
 * if it were the oldest, five threads that take turns would lose everything. The caller owns the
 * places themselves. Nothing is allocated after init.
 */
#ifndef RWALKER_RECORD_STACK_HOLD_TABLE_H
#define RWALKER_RECORD_STACK_HOLD_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HOLD_WAYS = 4 }; /* places in a set */

struct hold {
	uint64_t out; /* the switch-out; 0: nothing is held */
	uint32_t tid;
};

struct hold_table {
	struct hold *holds;
	uint32_t count; /* places; a power of two */
};

struct hold_limits {
	uint32_t threads, least; /* places for twice as many threads, and for this many at least */
	size_t place, most;	 /* bytes: of one place, and of all of them; the latter has precedence */
};

/* 0, -ENOMEM. */
int hold_table_init(struct hold_table *table, const struct hold_limits *limits);
void hold_table_deinit(struct hold_table *table);

/* Stores an item for the thread. Returns the number of its place. */
uint32_t hold_table_put(struct hold_table *table, uint32_t tid, uint64_t out);
/*
 * Takes an item out, once: its place stays as it is until the next put. Returns false if it is not
 * held (any more).
 */
bool hold_table_take(struct hold_table *table, uint32_t tid, uint64_t out, uint32_t *ret_place);

#endif
