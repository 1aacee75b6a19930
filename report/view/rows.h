/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What one source has to show: weighted call chains with their tasks, whether they were sampled or walked.
 * A walked task is a row of weight 1 that also has a state.
 */
#ifndef RWALKER_REPORT_VIEW_ROWS_H
#define RWALKER_REPORT_VIEW_ROWS_H

#include <stddef.h>

#include "report/profile.h"

struct row {
	uint32_t node, task, flags; /* flags: enum profile_chain_flag */
	uint64_t samples, weight;
	char state; /* 0: not walked */
};

struct rows {
	struct row *items; /* in the profile's order */
	size_t count;
};

int rows_init(struct rows *rows, const struct profile *profile, uint32_t source);
void rows_deinit(struct rows *rows);

#endif
