/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A source's rows, grouped by the leaf function of their call chains (and by process if requested),
 * heaviest group first, then by name, then by process. Rows keep their order within a group.
 */
#ifndef RWALKER_REPORT_VIEW_TREE_LEAF_GROUPS_H
#define RWALKER_REPORT_VIEW_TREE_LEAF_GROUPS_H

#include "report/view/look/functions.h"
#include "report/view/look/rows.h"
#include "report/view/look/tally.h"
#include "report/view/look/task_names.h"

struct leaf_group {
	uint32_t function, process; /* process: 0 if rows are not split by process */
	struct tally tally;
	size_t first, count;	    /* rows[first ...] */
};

struct leaf_groups {
	struct leaf_group *items;
	size_t count;
	struct row *rows; /* a copy, in the order of the unsorted groups */
};

int leaf_groups_init(struct leaf_groups *groups, const struct rows *rows, struct functions *functions,
		     const struct task_names *names, bool per_process);
void leaf_groups_deinit(struct leaf_groups *groups);

#endif
