/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * --max-cpu: decides, from the CPU time that the recording has used, how much is recorded from now on. Each step leaves
 * out more than the one before:
 *
 *     as asked → -m x 4 ... 16 ms → no stacks of wakers → no wakers → no stack memory → no user stacks
 *              → half the frequency, twice → nothing
 *
 * One step down if more than the budget was used for 3 s, one step up if less than half of it was
 * used for 60 s. In the 3 s after a step, up or down, a second of more than twice the budget is
 * enough for the next step down. So a storm does not cost long at every step, nor whenever a step
 * up is tried while it goes on. A step up that fails within 60 s makes the next one wait twice as
 * long, up to 8 times 60 s: on a large host the tries alone would cost more than the budget.
 * Pure arithmetic: the caller measures, and does what the regime says.
 */
#ifndef RWALKER_RECORD_PLAN_CPU_LADDER_H
#define RWALKER_RECORD_PLAN_CPU_LADDER_H

#include <stdbool.h>
#include <stdint.h>

#include "record/plan/record_options.h"

struct cpu_regime {
	uint64_t least;	    /* ns: shorter waits get no record */
	uint64_t lacks;	    /* enum regime_lack, of the format */
	uint64_t frequency; /* Hz */
};

enum { CPU_LADDER_STEPS = 24 };

struct cpu_ladder {
	struct cpu_regime regimes[CPU_LADDER_STEPS]; /* the first: as asked */
	uint32_t count, step;
	uint64_t budget; /* hundredths of a percent of one CPU; 0: none */
	uint64_t over, calm; /* ns: how long it must be over the budget, or calm, before a step */
	uint64_t over_since, calm_since; /* 0: it is not */
	uint64_t moved; /* when the last step was taken; 0: never */
	uint32_t patience; /* before a step up after one down, it must be calm this many times `calm` */
	bool rose; /* the last step was one up */
};

/* The config determines what can be left out. frequency: at which samples are taken. */
void cpu_ladder_init(struct cpu_ladder *ladder, const struct record_config *config, uint64_t frequency);

/*
 * used: from `since` to `now`, in the unit of the budget; each span begins where the last one
 * ended. True if this changed ladder->step, and so the regime.
 */
bool cpu_ladder_judge(struct cpu_ladder *ladder, uint64_t since, uint64_t now, uint64_t used);

static inline const struct cpu_regime *cpu_ladder_regime(const struct cpu_ladder *ladder)
{
	return &ladder->regimes[ladder->step];
}

#endif
