/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/stack_table.h"

#include "common/cleanup.h"
#include "report/view/section.h"

int stack_table_init(struct stack_table *table, const struct view_context *context, uint32_t number,
		     enum functions_mode mode, bool by_missing)
{
	const struct view_settings *settings = context->settings;
	const struct unique_settings unique = {
		.by_frame = settings->addresses || settings->offsets,
		.per_process = settings->per_process,
		.by_missing = by_missing,
	};
	_cleanup_(rows_deinit) struct rows rows = {0};
	int r;

	*table = (struct stack_table){0};
	r = functions_create(context->profile, mode, section_no_frames(settings), &table->functions);
	if (!r)
		r = task_names_init(&table->names, context->profile);
	if (!r)
		r = rows_init(&rows, context->profile, number);
	if (!r)
		r = unique_stacks_init(&table->stacks, context->profile, &rows, table->functions, &table->names, unique);
	return r;
}

void stack_table_deinit(struct stack_table *table)
{
	unique_stacks_deinit(&table->stacks);
	task_names_deinit(&table->names);
	functions_destroy(table->functions);
	*table = (struct stack_table){0};
}
