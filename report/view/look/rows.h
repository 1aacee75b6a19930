/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The rows of a source: weighted call chains with their tasks, sampled or walked. A walked task is
 * a row of weight 1 that also has a state.
 */
#ifndef RWALKER_REPORT_VIEW_LOOK_ROWS_H
#define RWALKER_REPORT_VIEW_LOOK_ROWS_H

#include <stddef.h>

#include "report/profile/seam/profile.h"
#include "report/view/look/groups.h"

struct row {
	uint32_t node, task;
	uint16_t flags, cpu; /* enum profile_chain_flag; PROFILE_NO_CPU if not known or not asked for */
	uint64_t samples, weight;
	uint64_t run_queue, throttled; /* of waits: the parts of the weight on run queues, and taken by quotas */
	char state; /* 0: not walked */
};

struct rows {
	struct row *items; /* in the profile's order */
	size_t count;
};

/* The rows of one group; all if `only` is NULL. */
int rows_init(struct rows *rows, const struct profile *profile, uint32_t source, const struct group_choice *only);

/* The number of samples in all rows. */
uint64_t rows_samples(const struct rows *rows);
void rows_deinit(struct rows *rows);

#endif
