/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The stacks of a source that differ when printed: rows of the same comm (and process, if
 * requested) whose call chains read the same are one. If addresses or offsets are printed, chains
 * that differ in these are different; with `by_missing` those with a lost user part are, too.
 * Lightest first, then by comm, process and chain.
 */
#ifndef RWALKER_REPORT_VIEW_STACKS_H
#define RWALKER_REPORT_VIEW_STACKS_H

#include "report/view/functions.h"
#include "report/view/groups.h"
#include "report/view/task_names.h"
#include "report/view/view.h"

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

/*
 * The unique stacks of a source, or of one slice of it after another, with everything needed to
 * print them. Shared by --stacks and --folded, which differ only in the format of a stack.
 */

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
