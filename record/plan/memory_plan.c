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

uint64_t memory_row_each(const struct memory_row *row, const struct memory_sizes *sizes)
{
	switch (row->kind) {
	case MEMORY_RINGS:
		return row->each + sizes->ring;
	case MEMORY_WINDOW:
		return row->each + sizes->window + sizes->window / MEMORY_INDEX_PART;
	case MEMORY_CHANGED:
		return row->each + sizes->window / MEMORY_WINDOW_PART;
	case MEMORY_TABLES:
		return row->each >> sizes->halvings > row->least ? row->each >> sizes->halvings : row->least;
	default:
		return row->each;
	}
}

static uint64_t row_bytes(const struct memory_row *row, const struct memory_sizes *sizes)
{
	uint64_t bytes;

	return __builtin_mul_overflow(row->count, memory_row_each(row, sizes), &bytes) ? UINT64_MAX : bytes;
}

uint64_t memory_plan_sum(const struct memory_plan *plan, const struct memory_sizes *sizes)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < plan->count; i++)
		if (__builtin_add_overflow(sum, row_bytes(&plan->rows[i], sizes), &sum))
			return UINT64_MAX;
	return sum;
}

static bool fits(const struct memory_plan *plan, const struct memory_sizes *sizes)
{
	return memory_plan_sum(plan, sizes) <= plan->budget;
}

static uint64_t rings(const struct memory_plan *plan)
{
	uint64_t count = 0;

	for (size_t i = 0; i < plan->count; i++)
		count += plan->rows[i].kind == MEMORY_RINGS ? plan->rows[i].count : 0;
	return count;
}

/* At most two fifths of the budget go to rings. */
static void shrink_rings(const struct memory_plan *plan, struct memory_sizes *sizes)
{
	uint64_t share = rings(plan) ? plan->budget / 5 * 2 / rings(plan) : 0;

	while (!plan->ring_given && sizes->ring > MEMORY_LEAST_RING && sizes->ring > share)
		sizes->ring /= 2;
}

static void shrink_window(const struct memory_plan *plan, struct memory_sizes *sizes)
{
	const uint64_t step = (uint64_t)1 << 20;

	while (!plan->window_given && sizes->window >= MEMORY_LEAST_WINDOW + step && !fits(plan, sizes))
		sizes->window -= step;
}

void memory_plan_spare(struct memory_plan *plan, uint64_t free)
{
	if (plan->budget)
		return;
	plan->free = free;
	plan->budget = free / MEMORY_FREE_PART;
}

int memory_plan_fit(const struct memory_plan *plan, struct memory_sizes *ret_sizes)
{
	struct memory_sizes sizes = plan->asked;

	if (plan->budget && !fits(plan, &sizes)) {
		shrink_rings(plan, &sizes);
		while (sizes.halvings < MEMORY_MOST_HALVINGS && !fits(plan, &sizes))
			sizes.halvings++;
		shrink_window(plan, &sizes);
		while (!plan->ring_given && sizes.ring > MEMORY_LEAST_RING && !fits(plan, &sizes))
			sizes.ring /= 2;
	}
	*ret_sizes = sizes;
	return plan->budget && !fits(plan, &sizes) ? -ENOSPC : 0;
}

void memory_plan_print(const struct memory_plan *plan, const struct memory_sizes *sizes, FILE *out)
{
	(void)fprintf(out, "%-48s %7s %12s %12s\n", "memory at most", "number", "each, MB", "all, MB");
	for (size_t i = 0; i < plan->count; i++)
		(void)fprintf(out, "%-48s %7" PRIu64 " %12.3f %12.1f\n", plan->rows[i].what, plan->rows[i].count,
			      (double)memory_row_each(&plan->rows[i], sizes) / MEGABYTE,
			      (double)row_bytes(&plan->rows[i], sizes) / MEGABYTE);
	(void)fprintf(out, "%-48s %7s %12s %12.1f\n", "all", "", "",
		      (double)memory_plan_sum(plan, sizes) / MEGABYTE);
	if (plan->budget)
		(void)fprintf(out, "%-48s %7s %12s %12.1f\n", plan->free ? "an eighth of what is free" : "--max-memory",
			      "", "", (double)plan->budget / MEGABYTE);
}

static const struct memory_row *largest(const struct memory_plan *plan, const struct memory_sizes *sizes,
					const struct memory_row *but)
{
	const struct memory_row *found = &plan->rows[0];

	for (size_t i = 0; i < plan->count; i++)
		if (&plan->rows[i] != but &&
		    (found == but || row_bytes(&plan->rows[i], sizes) > row_bytes(found, sizes)))
			found = &plan->rows[i];
	return found;
}

void memory_plan_refusal(const struct memory_plan *plan, const struct memory_sizes *least, char text[MEMORY_TEXT])
{
	const struct memory_row *first = largest(plan, least, NULL), *second = largest(plan, least, first);
	const double needed = (double)memory_plan_sum(plan, least) / MEGABYTE;
	char why[128];

	if (plan->free)
		(void)snprintf(why, sizeof(why),
			       "more than an eighth of the %.1f MB that are free is not taken unasked "
			       "(--max-memory %" PRIu64 "M asks)",
			       (double)plan->free / MEGABYTE, (uint64_t)needed + 1);
	else
		(void)snprintf(why, sizeof(why), "--max-memory %.9gM is too little", (double)plan->budget / MEGABYTE);
	(void)snprintf(text, MEMORY_TEXT,
		       "%s: this recording needs %.1f MB at least, of which %.1f MB are for '%s' and %.1f MB for '%s' "
		       "(--plan prints all of it)",
		       why, needed, (double)row_bytes(first, least) / MEGABYTE, first->what,
		       (double)row_bytes(second, least) / MEGABYTE, second->what);
}
