/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The unique stacks of a source, or of one slice of it after the other, together with what is needed to print them. Made for
 * --stacks and --folded, which differ only in how a stack is written.
 */
#ifndef RWALKER_REPORT_VIEW_STACK_TABLE_H
#define RWALKER_REPORT_VIEW_STACK_TABLE_H

#include "report/view/unique_stacks.h"
#include "report/view/view.h"

struct stack_table {
	struct functions *functions; /* of all frames that occur */
	struct task_names names;
	struct unique_settings settings;
	struct readings readings;
	struct rows rows; /* of the whole source */
	struct unique_stacks stacks;
};

/* With `by_missing`, stacks are kept apart that read the same but for a user part that was lost. There are no stacks yet. */
int stack_table_init(struct stack_table *table, const struct view_context *context, uint32_t number,
		     enum functions_mode mode, bool by_missing);
void stack_table_deinit(struct stack_table *table);

/* The unique stacks among these rows, all of which are of the source. */
int stack_table_fill(struct stack_table *table, const struct rows *rows);

#endif
