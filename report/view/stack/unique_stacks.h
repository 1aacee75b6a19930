/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The stacks of a source that differ when printed: rows of the same comm (and process, if
 * requested) whose call chains read the same are one. If addresses or offsets are printed, chains
 * that differ in these are different; with `by_missing` those with a lost user part are, too.
 * Lightest first, then by comm, process and chain.
 */
#ifndef RWALKER_REPORT_VIEW_STACK_UNIQUE_STACKS_H
#define RWALKER_REPORT_VIEW_STACK_UNIQUE_STACKS_H

#include "report/view/look/readings.h"
#include "report/view/look/rows.h"
#include "report/view/look/task_names.h"

struct unique_stack {
	uint32_t group;		/* of --by; 0 if there is none */
	uint32_t comm, process; /* process: 0 if rows are not split by process */
	uint32_t node;		/* in the profile: one of those that read the same */
	bool user_missing;	/* CHAIN_USER_MISSING, if rows are split by it */
	uint64_t samples, weight;
};

struct unique_stacks {
	struct unique_stack *items;
	size_t count;
};

struct unique_settings {
	struct frame_style style; /* what is printed of frames */
	bool per_process, by_missing;
	const struct groups *groups; /* NULL: groups are not kept apart here */
};

/* The readings must cover all rows' chains. */
int unique_stacks_init(struct unique_stacks *stacks, const struct rows *rows, const struct readings *readings,
		       const struct task_names *names, struct unique_settings settings);
void unique_stacks_deinit(struct unique_stacks *stacks);

#endif
