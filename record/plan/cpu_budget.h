/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * --max-cpu: decides, from the CPU time that the recording has used, how much is recorded from now on:
 *
 *     as asked     until more than the budget was used for 3 s
 *     coarser      waits from 10 ms on, a quarter of the frequency: until more was used for 3 s, or less than half of
 *                  it for 60 s
 *     nothing      for so long that it has kept the budget since it was last within it: 10 s to 60 s; then coarser
 *
 * Pure arithmetic: the caller measures, and does what it says.
 */
#ifndef RWALKER_RECORD_PLAN_CPU_BUDGET_H
#define RWALKER_RECORD_PLAN_CPU_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "format/event.h"

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

#endif
