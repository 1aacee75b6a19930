/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the parts of a recording may take at most, and their sum, which must be within --max-memory, or an eighth of
 * what is free. If it is not, all tables are halved together, at most MEMORY_MOST_HALVINGS times, and then likewise
 * what holds events. A table that is full leaves out what comes later, which is counted as usual. Pure arithmetic: the
 * session lists the parts.
 */
#ifndef RWALKER_RECORD_PLAN_MEMORY_PLAN_H
#define RWALKER_RECORD_PLAN_MEMORY_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { MEMORY_ROWS = 24, MEMORY_MOST_HALVINGS = 5, MEMORY_FREE_PART = 8, MEMORY_TEXT = 512 };

struct memory_row {
	const char *what;
	uint64_t count, fixed;	/* fixed, scaled: bytes of each */
	uint64_t scaled, least; /* scaled is halved, but not below `least` */
	bool events;		/* halved last */
};

struct memory_plan {
	struct memory_row rows[MEMORY_ROWS];
	size_t count;
	uint64_t budget; /* 0: none */
	uint64_t free;	 /* bytes that the host has; 0: unknown, or the budget is the user's */
	unsigned int halvings, event_halvings;
};

/* Adds nothing if the row's count is 0. */
void memory_plan_add(struct memory_plan *plan, const struct memory_row *row);
/* What is left of some bytes after all halvings. */
uint64_t memory_plan_halved(const struct memory_plan *plan, uint64_t bytes, uint64_t least, bool events);
uint64_t memory_plan_sum(const struct memory_plan *plan);

/* Sets both halvings. free: what the host has; 0: unknown. -ENOSPC: the sum does not fit even with the most of them. */
int memory_plan_fit(struct memory_plan *plan, uint64_t free);

void memory_plan_print(const struct memory_plan *plan, FILE *out); /* as a table */
/* Why it does not fit: how much is needed at least, and what takes most of that. */
void memory_plan_refusal(const struct memory_plan *plan, char text[MEMORY_TEXT]);

#endif
