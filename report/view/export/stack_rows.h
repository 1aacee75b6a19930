/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The unique stacks of all sources, summed, for exports that have no times: those of --folded with --per-process, so
 * that hosts are apart, and of each control group by themselves. Source by source, lightest first; if asked, of waits
 * and walked tasks what they were for by itself, one after the other: by kind alone if that is too much.
 */
#ifndef RWALKER_REPORT_VIEW_EXPORT_STACK_ROWS_H
#define RWALKER_REPORT_VIEW_EXPORT_STACK_ROWS_H

#include "report/view/stack/stack_table.h"

struct stack_row {
	const struct stack_table *table;
	const struct profile_source *source;
	const struct unique_stack *stack;
	struct profile *profile;
	const char *object; /* what the waits were for, as in --waits-on; "": not known, or not asked for */
};

/* NULL: not recorded. */
const struct profile_cgroup *stack_row_cgroup(const struct stack_row *row);

typedef int stack_row_do(void *context, const struct stack_row *row);

/* `each` is called for every stack, `done` after those of a source that has any. The first error ends it. */
int stack_rows_read(const struct view_context *context, enum functions_mode mode, bool by_object, stack_row_do *each,
		    stack_row_do *done, void *owner);

#endif
