/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/export/stack_rows.h"

#include "common/cleanup.h"
#include "report/view/look/groups.h"

/* A walk's rows are its own; waits have their own kind of stack. */
static int read_source(const struct view_context *context, enum functions_mode mode, uint32_t number,
		       const struct profile_source *source, stack_row_do *each, stack_row_do *done, void *owner)
{
	struct view_settings settings = *context->settings;
	const struct view_context apart = {.profile = context->profile, .settings = &settings, .out = context->out};
	bool by_missing = source->kind == PROFILE_OFFCPU && !settings.kernel_only;
	_cleanup_(stack_table_deinit) struct stack_table table;
	struct stack_row row = {.table = &table, .source = source, .profile = context->profile};
	int r;

	settings.per_process = true;
	settings.by = group_field_find("cgroup");
	r = stack_table_init(&table, &apart, number, mode, by_missing);
	if (!r)
		r = stack_table_fill(&table, &table.rows);
	for (size_t i = 0; !r && i < table.stacks.count; i++) {
		row.stack = &table.stacks.items[i];
		r = each(owner, &row);
	}
	return r < 0 || !table.stacks.count || !done ? r : done(owner, &row);
}

const struct profile_cgroup *stack_row_cgroup(const struct stack_row *row)
{
	const struct groups *groups = &row->table->groups;

	return groups->tasks[groups->example[row->stack->group]].cgroup;
}

int stack_rows_read(const struct view_context *context, enum functions_mode mode, stack_row_do *each,
		    stack_row_do *done, void *owner)
{
	const struct profile_source *sources;
	size_t count = profile_sources(context->profile, &sources);
	int r = 0;

	for (size_t i = 0; !r && i < count; i++)
		if (!sources[i].left_out && sources[i].samples)
			r = read_source(context, mode, (uint32_t)i, &sources[i], each, done, owner);
	return r;
}
