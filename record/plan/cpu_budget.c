/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/plan/cpu_budget.h"

#include "common/time_units.h"

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
