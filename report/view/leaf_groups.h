/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A source's rows, grouped by the leaf function of their call chains (and by process if requested),
 * heaviest group first, then by name, then by process. Rows keep their order within a group.
 */
#ifndef RWALKER_REPORT_VIEW_LEAF_GROUPS_H
#define RWALKER_REPORT_VIEW_LEAF_GROUPS_H

#include "report/view/functions.h"
#include "report/view/groups.h"
#include "report/view/task_names.h"
#include "report/view/view.h"

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

/*
 * Removes the wakeup itself from wakers' chains, for views that group call chains by leaf: every
 * such chain has it at the leaf (try_to_wake_up, and often its callers: autoremove_wake_function
 * ...), so it distinguishes nothing. A chain that would lose all its kernel frames stays unchanged.
 */

/* Changes the nodes of the rows; *ret_passed: samples of the changed rows. */
int wake_leaves_pass(struct rows *rows, const struct profile *profile, struct functions *functions,
		     uint64_t *ret_passed);

/* Says so below the view, in a comment line. `samples`: of all rows. */
void wake_leaves_write_note(const struct view_context *context, uint64_t passed, uint64_t samples);

#endif
