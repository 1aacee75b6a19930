/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * --max-cpu: from what the recording has used of the CPUs to how much of it goes on. Steps follow one another, each
 * leaves out more than the one before:
 *
 *     as asked → -m x 4 ... 16 ms → no stacks of wakers → no wakers → no stack memory → no user stacks
 *              → half the frequency, twice → nothing
 *
 * One step down if more than the budget was used for 3 s, one step up if less than half of it was
 * used for 60 s. In the 3 s after a step, up or down, a second of more than twice the budget is
 * enough for the next one down: a storm does not cost long at every step, nor one that goes on
 * whenever a step up is tried. A step up that fails within 60 s makes the next one wait twice as
 * long, up to 8 times 60 s: on a large host the tries alone would cost more than the budget.
 * Pure arithmetic: the caller measures, and does what the regime says.
 */
#ifndef RWALKER_RECORD_PLAN_CPU_LADDER_H
#define RWALKER_RECORD_PLAN_CPU_LADDER_H

#include <stdbool.h>
#include <stdint.h>

#include "record/plan/record_options.h"

struct cpu_regime {
	uint64_t least;	    /* ns, of waits that have a record */
	uint64_t lacks;	    /* enum regime_lack, of the format */
	uint64_t frequency; /* Hz */
};

enum { CPU_LADDER_STEPS = 24 };

struct cpu_ladder {
	struct cpu_regime regimes[CPU_LADDER_STEPS]; /* the first: as asked */
	uint32_t count, step;
	uint64_t budget; /* hundredths of a percent of one CPU; 0: none */
	uint64_t over, calm; /* ns: how long it takes */
	uint64_t over_since, calm_since; /* 0: it is not */
	uint64_t moved; /* when the last step was taken; 0: never */
	uint32_t patience; /* how many times `calm` it must be calm before a step up after one down */
	bool rose; /* the last step was one up */
};

/* What is there to leave out follows from the config. frequency: what is sampled at. */
void cpu_ladder_init(struct cpu_ladder *ladder, const struct record_config *config, uint64_t frequency);

/*
 * `used`, like the budget, from `since` to `now`: spans follow one another. True: ladder->step,
 * and so the regime, is another one now.
 */
bool cpu_ladder_judge(struct cpu_ladder *ladder, uint64_t since, uint64_t now, uint64_t used);

static inline const struct cpu_regime *cpu_ladder_regime(const struct cpu_ladder *ladder)
{
	return &ladder->regimes[ladder->step];
}

#endif
