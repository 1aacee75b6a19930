/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * --max-memory: how much each part of a recording may take at most, and what to make smaller so that all of them fit.
 * Pure arithmetic: the session says what there is. Rings give way first, then tables are halved, together, up to
 * MEMORY_MOST_HALVINGS times; then the window of --flight, and the rings once more. What the user gave a size keeps
 * it. A table that is full leaves out what comes then, which is counted as ever.
 */
#ifndef RWALKER_RECORD_PLAN_MEMORY_PLAN_H
#define RWALKER_RECORD_PLAN_MEMORY_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum memory_kind {
	MEMORY_FIXED,  /* `each` is all */
	MEMORY_RINGS,  /* each is as large as a ring, and `each` */
	MEMORY_WINDOW, /* of --flight: its size, a MEMORY_INDEX_PART of it, and `each` */
	MEMORY_CHANGED, /* a MEMORY_WINDOW_PART of the window, and `each` */
	MEMORY_TABLES, /* `each`, halved, but `least` */
};

enum { MEMORY_ROWS = 24, MEMORY_MOST_HALVINGS = 5, MEMORY_WINDOW_PART = 4, MEMORY_INDEX_PART = 16,
       MEMORY_TEXT = 512 };

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
	struct memory_sizes asked;
	bool ring_given, window_given; /* by the user, so they stay */
};

/* Nothing if its count is 0. */
void memory_plan_add(struct memory_plan *plan, const struct memory_row *row);

/* One of a row, all of it, and all rows, in bytes. */
uint64_t memory_row_each(const struct memory_row *row, const struct memory_sizes *sizes);
uint64_t memory_row_bytes(const struct memory_row *row, const struct memory_sizes *sizes);
uint64_t memory_plan_sum(const struct memory_plan *plan, const struct memory_sizes *sizes);

/* The largest sizes within the budget. -ENOSPC: there are none; *ret_sizes are the smallest. */
int memory_plan_fit(const struct memory_plan *plan, struct memory_sizes *ret_sizes);

/* A table of it. */
void memory_plan_print(const struct memory_plan *plan, const struct memory_sizes *sizes, FILE *out);
/* Why it does not fit: the least that is needed, and what takes most of it. */
void memory_plan_refusal(const struct memory_plan *plan, const struct memory_sizes *least, char text[MEMORY_TEXT]);

#endif
