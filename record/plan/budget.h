/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a recording may take: how often it samples, --max-cpu, --max-memory. Pure arithmetic. */
#ifndef RWALKER_RECORD_PLAN_BUDGET_H
#define RWALKER_RECORD_PLAN_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "format/event.h"

/*
 * Sampling rates that avoid the rhythms of what is sampled. Most timers fire every 1, 4, 10 or
 * 100 ms: a rate that is a multiple or an even part of 100 or 1000 per second always meets them
 * in the same phase, and so sees what they start all of the time or never. A rate slightly off
 * drifts through every phase several times a second.
 */
enum { SAMPLE_RATE = 3989, SAMPLE_RATE_DWARF = 997 }; /* Hz, by default; both are primes */

/* Whether this many samples per second keep step with common timers. */
bool sample_rate_in_step(uint64_t rate);

/* The highest rate up to `most` that does not. */
uint64_t sample_rate_below(uint64_t most);

/*
 * --max-cpu: decides, from the CPU time that the recording has used, how much is recorded from now on:
 *
 *     as asked     until more than the budget was used for 3 s
 *     coarser      waits from 10 ms on, a quarter of the frequency: until more was used for 3 s, or less than half of
 *                  it for 60 s
 *     nothing      for so long that it has kept the budget since it was last within it: 10 s to 60 s; then coarser
 *
 * The caller measures, and does what it says.
 */
struct cpu_budget {
	uint64_t budget; /* hundredths of a percent of one CPU; 0: none */
	uint64_t calm;	 /* ns before a step up */
	enum budget_step step;
	uint64_t over_since, calm_since; /* 0: it is not */
	uint64_t over; /* of the time since over_since: used, in the budget's unit, times ns */
	uint64_t paused_until;
};

void cpu_budget_init(struct cpu_budget *budget, uint64_t percent, uint64_t calm);

/* used: from `since` to `now`, in the unit of the budget. True if this changed the step. */
bool cpu_budget_update(struct cpu_budget *budget, uint64_t since, uint64_t now, uint64_t used);

/* Of waits, ns, and of samples, Hz, in the present step; asked: without a budget. */
uint64_t cpu_budget_least(const struct cpu_budget *budget, uint64_t asked);
uint64_t cpu_budget_frequency(const struct cpu_budget *budget, uint64_t asked); /* 0: none */

/*
 * What the parts of a recording may take at most, and their sum, which must be within --max-memory, or an eighth of
 * what is free. If it is not, all tables are halved together, at most MEMORY_MOST_HALVINGS times, and then likewise
 * what holds events. A table that is full leaves out what comes later, which is counted as usual. The session lists the
 * parts.
 */
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
