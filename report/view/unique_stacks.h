/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The stacks of a source that look different when printed: rows whose call chains read the same, of the same comm
 * (and process, where that was asked for), are one. With `by_frame` chains that differ in an address are
 * different; with `by_missing` those of which a user part was lost are, too. Lightest first, then by comm, process
 * and chain.
 */
#ifndef RWALKER_REPORT_VIEW_UNIQUE_STACKS_H
#define RWALKER_REPORT_VIEW_UNIQUE_STACKS_H

#include "report/view/readings.h"
#include "report/view/rows.h"
#include "report/view/task_names.h"

struct unique_stack {
	uint32_t comm, process; /* process: 0 where rows are not split by it */
	uint32_t node;		/* of the profile: one of those that read the same */
	bool user_missing;	/* CHAIN_USER_MISSING, where rows are split by it */
	uint64_t samples, weight;
};

struct unique_stacks {
	struct unique_stack *items;
	size_t count;
};

struct unique_settings {
	bool by_frame, per_process, by_missing;
};

/* The readings are of all rows' chains. */
int unique_stacks_init(struct unique_stacks *stacks, const struct rows *rows, const struct readings *readings,
		       const struct task_names *names, struct unique_settings settings);
void unique_stacks_deinit(struct unique_stacks *stacks);

#endif
