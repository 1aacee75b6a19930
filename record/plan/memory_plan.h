/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * --max-memory, or an eighth of what is free: how much each part of a recording may take at most, and what to make
 * smaller so that all of them fit.
 * Pure arithmetic: the session lists the parts. Rings shrink first; then all tables are halved together, up to
 * MEMORY_MOST_HALVINGS times; then the window of --flight shrinks, and then the rings once more. Sizes that the user
 * gave are kept. A table that is full leaves out what comes later, which is counted as usual.
 */
#ifndef RWALKER_RECORD_PLAN_MEMORY_PLAN_H
#define RWALKER_RECORD_PLAN_MEMORY_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum memory_kind {
	MEMORY_FIXED,  /* `each` only */
	MEMORY_RINGS,  /* a ring, and `each` */
	MEMORY_WINDOW, /* the window of --flight, 1/MEMORY_INDEX_PART of its size, and `each` */
	MEMORY_CHANGED, /* 1/MEMORY_WINDOW_PART of the window's size, and `each` */
	MEMORY_TABLES, /* `each` after all halvings, but at least `least` */
};

enum { MEMORY_ROWS = 24, MEMORY_MOST_HALVINGS = 5, MEMORY_WINDOW_PART = 4, MEMORY_INDEX_PART = 16,
       MEMORY_FREE_PART = 8,       MEMORY_TEXT = 512 };

#define MEMORY_LEAST_RING ((uint64_t)512 << 10)
#define MEMORY_LEAST_WINDOW ((uint64_t)8 << 20)

struct memory_row {
	const char *what;
	enum memory_kind kind;
	uint64_t count, each, least; /* bytes */
};

struct memory_sizes {
	uint64_t ring, window; /* bytes; of one ring, and of stored chunks */
	unsigned int halvings; /* of tables */
};

struct memory_plan {
	struct memory_row rows[MEMORY_ROWS];
	size_t count;
	uint64_t budget; /* 0: none */
	uint64_t free;	 /* bytes that the host has; 0: unknown, or the budget is the user's */
	struct memory_sizes asked;
	bool ring_given, window_given; /* by the user, so they stay */
};

/* Adds nothing if the row's count is 0. */
void memory_plan_add(struct memory_plan *plan, const struct memory_row *row);

/* Bytes of one item of a row, and of all rows. */
uint64_t memory_row_each(const struct memory_row *row, const struct memory_sizes *sizes);
uint64_t memory_plan_sum(const struct memory_plan *plan, const struct memory_sizes *sizes);

/* Without a budget of the user's: an eighth of what the host has. */
void memory_plan_spare(struct memory_plan *plan, uint64_t free);

/* The largest sizes within the budget. -ENOSPC: none fit, and *ret_sizes are the smallest. */
int memory_plan_fit(const struct memory_plan *plan, struct memory_sizes *ret_sizes);

/* Prints the plan as a table. */
void memory_plan_print(const struct memory_plan *plan, const struct memory_sizes *sizes, FILE *out);
/* Writes why it does not fit: how much is needed at least, and what takes most of that. */
void memory_plan_refusal(const struct memory_plan *plan, const struct memory_sizes *least, char text[MEMORY_TEXT]);

#endif
