/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/plan/budget.h"

#include <errno.h>
#include <inttypes.h>

#include "common/time_units.h"

/* --- how often it samples --- */

enum { SLOW_TIMERS = 100, FAST_TIMERS = 1000, DRIFT_PARTS = 333 };

bool sample_rate_in_step(uint64_t rate)
{
	return rate && (rate % SLOW_TIMERS == 0 || FAST_TIMERS % rate == 0);
}

/* As far from a rate in step as 997 is from 1000: if closer, a short recording sees only some of the phases. */
uint64_t sample_rate_below(uint64_t most)
{
	uint64_t rate = most;

	if (sample_rate_in_step(rate))
		rate -= 1 + rate / DRIFT_PARTS;
	while (sample_rate_in_step(rate))
		rate--;
	return rate ? rate : most;
}

/* --- --max-cpu --- */

static const uint64_t OVER = 3 * SECOND, CALM = 60 * SECOND;
static const uint64_t LEAST_PAUSE = 10 * SECOND, MOST_PAUSE = 60 * SECOND;
static const uint64_t COARSER_LEAST = 10 * MILLISECOND;

enum { RATE_PART = 4, LEAST_RATE = 10 };

void cpu_budget_init(struct cpu_budget *budget, uint64_t percent, uint64_t calm)
{
	*budget = (struct cpu_budget){.budget = percent, .calm = calm ? calm : CALM};
}

static void go(struct cpu_budget *budget, enum budget_step step)
{
	budget->step = step;
	budget->over_since = budget->calm_since = budget->over = 0;
}

/* What was used beyond the budget is made up for by as much time in which nothing is used. */
static void pause(struct cpu_budget *budget, uint64_t now)
{
	const uint64_t spent = budget->over / budget->budget, lasted = now - budget->over_since;
	uint64_t pause = spent > lasted ? spent - lasted : 0;

	pause = pause < LEAST_PAUSE ? LEAST_PAUSE : pause > MOST_PAUSE ? MOST_PAUSE : pause;
	budget->paused_until = now + pause;
	go(budget, BUDGET_PAUSED);
}

bool cpu_budget_update(struct cpu_budget *budget, uint64_t since, uint64_t now, uint64_t used)
{
	const enum budget_step before = budget->step;

	if (!budget->budget)
		return false;
	if (before == BUDGET_PAUSED) {
		if (now >= budget->paused_until)
			go(budget, BUDGET_COARSER);
		return budget->step != before;
	}
	if (used <= budget->budget)
		budget->over_since = budget->over = 0;
	else if (!budget->over_since)
		budget->over_since = since;
	if (used >= budget->budget / 2)
		budget->calm_since = 0;
	else if (!budget->calm_since)
		budget->calm_since = since;
	budget->over += budget->over_since ? used * (now - since) : 0;
	if (budget->over_since && now - budget->over_since >= OVER && before == BUDGET_COARSER)
		pause(budget, now);
	else if (budget->over_since && now - budget->over_since >= OVER)
		go(budget, BUDGET_COARSER);
	else if (budget->calm_since && now - budget->calm_since >= budget->calm && before)
		go(budget, BUDGET_WHOLE);
	return budget->step != before;
}

uint64_t cpu_budget_least(const struct cpu_budget *budget, uint64_t asked)
{
	return budget->step && asked < COARSER_LEAST ? COARSER_LEAST : asked;
}

uint64_t cpu_budget_frequency(const struct cpu_budget *budget, uint64_t asked)
{
	const uint64_t part = asked / RATE_PART > LEAST_RATE ? asked / RATE_PART : LEAST_RATE;

	if (budget->step == BUDGET_PAUSED)
		return 0;
	return budget->step && part < asked ? part : asked;
}

/* --- --max-memory --- */

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
