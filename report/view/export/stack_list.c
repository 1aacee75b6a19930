/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/view.h"

#include "common/cleanup.h"
#include "report/profile/seam/profile_origin.h"
#include "report/view/export/stack_rows.h"
#include "report/view/export/table_text.h"
#include "report/view/text/page.h"

/* --export csv-stacks and ndjson-stacks: a line for each stack of a process. The table of columns is at the end. */

static const struct stack_row *row_of(const void *row)
{
	return row;
}

static const struct task_process *process_of(const void *row)
{
	return &row_of(row)->table->names.processes[row_of(row)->stack->process];
}

static struct table_field host(const void *row)
{
	return table_name(profile_host_name(row_of(row)->profile, process_of(row)->host));
}

static struct table_field host_number(const void *row)
{
	return table_uint(process_of(row)->host);
}

static struct table_field source(const void *row)
{
	return table_word(page_kind_name(row_of(row)->source->kind));
}

static struct table_field name(const void *row)
{
	return table_name(row_of(row)->source->name);
}

static struct table_field comm(const void *row)
{
	return table_name(row_of(row)->table->names.comms[row_of(row)->stack->comm]);
}

static struct table_field pid(const void *row)
{
	return table_uint(process_of(row)->tgid);
}

static struct table_field events(const void *row)
{
	return table_uint(row_of(row)->stack->samples);
}

static struct table_field weight(const void *row)
{
	return table_uint(row_of(row)->stack->weight);
}

static struct table_field unit(const void *row)
{
	return table_word(table_unit(row_of(row)->source));
}

static struct table_field stack(const void *row)
{
	const struct unique_stack *stack = row_of(row)->stack;
	bool waits = row_of(row)->source->kind == PROFILE_OFFCPU;

	return (struct table_field){.kind = TABLE_STACK, .node = stack->node,
				    .flags = stack->user_missing ? CHAIN_USER_MISSING : 0,
				    .owner = waits ? STACK_OF_SLEEPER : STACK_OF_SAMPLE};
}

/* --- the cgroup of its threads --- */

static struct table_field text_of(const char *text)
{
	return *text ? table_name(text) : (struct table_field){.kind = TABLE_EMPTY};
}

static struct table_field cgroup(const void *row)
{
	return text_of(profile_cgroup_path(stack_row_cgroup(row)));
}

static struct table_field container(const void *row)
{
	return text_of(profile_container(stack_row_cgroup(row)));
}

static struct table_field container_id(const void *row)
{
	const struct profile_cgroup *of = stack_row_cgroup(row);

	return text_of(of ? of->id : "");
}

/* Add new ones at the end: readers may refer to columns by position. */
static const struct table_column columns[] = {
	{"host", host},
	{"host_number", host_number},
	{"source", source},
	{"name", name},
	{"comm", comm},
	{"pid", pid},
	{"events", events},
	{"weight", weight},
	{"unit", unit},
	{"stack", stack},
	{"cgroup", cgroup},
	{"container", container},
	{"container_id", container_id},
};

static int write_row(void *table, const struct stack_row *row)
{
	return table_text_row(table, row);
}

static int write_stacks(const struct view_context *context, enum table_form form)
{
	_cleanup_(table_text_deinit) struct table_text table;
	int r = table_text_begin(&table, context, form, columns, sizeof(columns) / sizeof(*columns));

	if (!r)
		r = stack_rows_read(context, FUNCTIONS_BY_NAME, false, write_row, NULL, &table);
	table_text_end(&table);
	return r;
}

int csv_stacks_view(const struct view_context *context, uint32_t number, const struct profile_source *all)
{
	(void)number;
	(void)all;
	return write_stacks(context, TABLE_CSV);
}

int ndjson_stacks_view(const struct view_context *context, uint32_t number, const struct profile_source *all)
{
	(void)number;
	(void)all;
	return write_stacks(context, TABLE_NDJSON);
}
