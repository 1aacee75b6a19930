/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The unique stacks of a source, or of one slice of it after another, with everything needed to
 * print them. Shared by --stacks and --folded, which differ only in the format of a stack.
 */
#ifndef RWALKER_REPORT_VIEW_STACK_STACK_TABLE_H
#define RWALKER_REPORT_VIEW_STACK_STACK_TABLE_H

#include "report/view/stack/unique_stacks.h"
#include "report/view/text/view.h"

struct stack_table {
	struct functions *functions; /* of all frames in use */
	struct task_names names;
	struct groups groups; /* of --by, unless the rows are those of one group */
	struct unique_settings settings;
	struct readings readings;
	struct rows rows; /* of the whole source */
	struct unique_stacks stacks;
};

/* With `by_missing`, stacks that differ only in a lost user part are kept apart. There are no stacks yet. */
int stack_table_init(struct stack_table *table, const struct view_context *context, uint32_t number,
		     enum functions_mode mode, bool by_missing);
void stack_table_deinit(struct stack_table *table);

/* Finds the unique stacks of these rows, all of which belong to the source. */
int stack_table_fill(struct stack_table *table, const struct rows *rows);

#endif
