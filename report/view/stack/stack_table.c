/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/stack/stack_table.h"

#include "common/cleanup.h"
#include "report/view/text/page.h"

static int read_chains(struct stack_table *table)
{
	int r = 0;

	for (size_t i = 0; !r && i < table->rows.count; i++)
		r = readings_want(&table->readings, table->rows.items[i].node);
	return r < 0 ? r : readings_read(&table->readings, table->functions, table->settings.style);
}

int stack_table_init(struct stack_table *table, const struct view_context *context, uint32_t number,
		     enum functions_mode mode, bool by_missing)
{
	const struct view_settings *settings = context->settings;
	int r;

	*table = (struct stack_table){.settings = {
					      .style = {.addresses = settings->addresses, .offsets = settings->offsets},
					      .per_process = settings->per_process,
					      .by_missing = by_missing,
				      }};
	r = functions_create(context->profile, mode, page_no_frames(settings), &table->functions);
	if (!r)
		r = groups_init(&table->groups, context->profile, context->only ? NULL : settings->by);
	table->settings.groups = &table->groups;
	if (!r)
		r = task_names_init(&table->names, context->profile);
	if (!r)
		r = rows_init(&table->rows, context->profile, number, context->only);
	if (!r)
		r = readings_init(&table->readings, context->profile);
	return r < 0 ? r : read_chains(table);
}

void stack_table_deinit(struct stack_table *table)
{
	unique_stacks_deinit(&table->stacks);
	readings_deinit(&table->readings);
	rows_deinit(&table->rows);
	task_names_deinit(&table->names);
	groups_deinit(&table->groups);
	functions_destroy(table->functions);
	*table = (struct stack_table){0};
}

int stack_table_fill(struct stack_table *table, const struct rows *rows)
{
	unique_stacks_deinit(&table->stacks);
	return unique_stacks_init(&table->stacks, rows, &table->readings, &table->names, table->settings);
}
