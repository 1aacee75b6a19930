/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/plan/memory_plan.h"

#include <errno.h>
#include <inttypes.h>

static const double MEGABYTE = 1 << 20;

void memory_plan_add(struct memory_plan *plan, const struct memory_row *row)
{
	if (row->count && plan->count < MEMORY_ROWS)
		plan->rows[plan->count++] = *row;
}

uint64_t memory_plan_halved(const struct memory_plan *plan, uint64_t bytes, uint64_t least, bool events)
{
	const uint64_t halved = bytes >> (events ? plan->event_halvings : plan->halvings);

	return halved > least ? halved : bytes < least ? bytes : least;
}

static uint64_t bytes_each(const struct memory_plan *plan, const struct memory_row *row)
{
	return row->fixed + memory_plan_halved(plan, row->scaled, row->least, row->events);
}

static uint64_t bytes_of(const struct memory_plan *plan, const struct memory_row *row)
{
	uint64_t bytes;

	return __builtin_mul_overflow(row->count, bytes_each(plan, row), &bytes) ? UINT64_MAX : bytes;
}

uint64_t memory_plan_sum(const struct memory_plan *plan)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < plan->count; i++)
		if (__builtin_add_overflow(sum, bytes_of(plan, &plan->rows[i]), &sum))
			return UINT64_MAX;
	return sum;
}

int memory_plan_fit(struct memory_plan *plan, uint64_t free)
{
	if (!plan->budget) {
		plan->free = free;
		plan->budget = free / MEMORY_FREE_PART;
	}
	if (!plan->budget)
		return 0;
	while (memory_plan_sum(plan) > plan->budget && plan->halvings < MEMORY_MOST_HALVINGS)
		plan->halvings++;
	while (memory_plan_sum(plan) > plan->budget && plan->event_halvings < MEMORY_MOST_HALVINGS)
		plan->event_halvings++;
	return memory_plan_sum(plan) > plan->budget ? -ENOSPC : 0;
}

void memory_plan_print(const struct memory_plan *plan, FILE *out)
{
	(void)fprintf(out, "%-48s %7s %12s %12s\n", "memory at most", "number", "each, MB", "all, MB");
	for (size_t i = 0; i < plan->count; i++)
		(void)fprintf(out, "%-48s %7" PRIu64 " %12.3f %12.1f\n", plan->rows[i].what, plan->rows[i].count,
			      (double)bytes_each(plan, &plan->rows[i]) / MEGABYTE,
			      (double)bytes_of(plan, &plan->rows[i]) / MEGABYTE);
	(void)fprintf(out, "%-48s %7s %12s %12.1f\n", "all", "", "", (double)memory_plan_sum(plan) / MEGABYTE);
	if (plan->budget)
		(void)fprintf(out, "%-48s %7s %12s %12.1f\n", plan->free ? "an eighth of what is free" : "--max-memory",
			      "", "", (double)plan->budget / MEGABYTE);
}

void memory_plan_refusal(const struct memory_plan *plan, char text[MEMORY_TEXT])
{
	const struct memory_row *largest = &plan->rows[0];
	const double needed = (double)memory_plan_sum(plan) / MEGABYTE;
	int length;

	for (size_t i = 1; i < plan->count; i++)
		if (bytes_of(plan, &plan->rows[i]) > bytes_of(plan, largest))
			largest = &plan->rows[i];
	if (plan->free)
		length = snprintf(text, MEMORY_TEXT,
				  "more than an eighth of the %.1f MB that are free is not taken unasked (--max-memory %.0fM asks)",
				  (double)plan->free / MEGABYTE, needed + 1);
	else
		length = snprintf(text, MEMORY_TEXT, "--max-memory %.9gM is too little", (double)plan->budget / MEGABYTE);
	(void)snprintf(text + length, MEMORY_TEXT - (size_t)length,
		       ": this recording needs %.1f MB at least, of which %.1f MB are for '%s' (--plan prints all of it)",
		       needed, (double)bytes_of(plan, largest) / MEGABYTE, largest->what);
}
