/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The unique stacks of all sources, summed, for exports that have no times: those of --folded with
 * --per-process, which keeps hosts apart, separately for each control group. Source by source,
 * lightest first. With `by_object`, stacks of waits and walked tasks are also split by what they
 * were for, one object after the other; only by kind if there are too many objects.
 */
#ifndef RWALKER_REPORT_VIEW_EXPORT_STACK_ROWS_H
#define RWALKER_REPORT_VIEW_EXPORT_STACK_ROWS_H

#include "report/view/stack/stack_table.h"

struct stack_row {
	const struct stack_table *table;
	const struct profile_source *source;
	const struct unique_stack *stack;
	struct profile *profile;
	const char *object; /* what the waits were for, as in --waits-on; "" if not known or not requested */
};

/* NULL: not recorded. */
const struct profile_cgroup *stack_row_cgroup(const struct stack_row *row);

typedef int stack_row_do(void *context, const struct stack_row *row);

/* Calls `each` for every stack, and `done` after the stacks of each source that has any. Stops at the first error. */
int stack_rows_read(const struct view_context *context, enum functions_mode mode, bool by_object, stack_row_do *each,
		    stack_row_do *done, void *owner);

#endif
