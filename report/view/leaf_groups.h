/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A source's rows, grouped by the function at the leaf of their call chains (and by process where that was asked
 * for), heaviest group first, then by name, then by process. Rows keep their order within a group.
 */
#ifndef RWALKER_REPORT_VIEW_LEAF_GROUPS_H
#define RWALKER_REPORT_VIEW_LEAF_GROUPS_H

#include "report/view/functions.h"
#include "report/view/rows.h"
#include "report/view/task_names.h"

struct leaf_group {
	uint32_t function, process; /* process: 0 where rows are not split by it */
	uint64_t weight;
	size_t first, count;	    /* rows[first ...] */
};

struct leaf_groups {
	struct leaf_group *items;
	size_t count;
	struct row *rows; /* a copy, in the order of the groups before these were sorted */
};

int leaf_groups_init(struct leaf_groups *groups, const struct rows *rows, struct functions *functions,
		     const struct task_names *names, bool per_process);
void leaf_groups_deinit(struct leaf_groups *groups);

#endif
