/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/stacks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/printable.h"
#include "report/view/event_reader.h"
#include "report/view/frame_text.h"
#include "report/view/functions.h"
#include "report/view/page.h"
#include "report/view/view.h"

static int compare_identity(const void *left, const void *right)
{
	const struct unique_stack *l = left, *r = right;

	return COMPARE(l->group, r->group) ?: COMPARE(l->comm, r->comm) ?: COMPARE(l->process, r->process) ?:
	       COMPARE(l->node, r->node) ?: l->user_missing - r->user_missing;
}

static int compare_weight(const void *left, const void *right)
{
	const struct unique_stack *l = left, *r = right;

	return COMPARE(l->weight, r->weight) ?: compare_identity(left, right);
}

static struct unique_stack stack_of(const struct row *row, const struct task_names *names,
				    const struct readings *readings,
				    struct unique_settings settings)
{
	return (struct unique_stack){
		.group = settings.groups ? groups_find(settings.groups, row->task, row->cpu) : 0,
		.comm = names->comm_of[row->task],
		.process = settings.per_process ? names->process_of[row->task] : 0,
		.node = readings->as[row->node],
		.user_missing = settings.by_missing && row->flags & CHAIN_USER_MISSING,
		.samples = row->samples,
		.weight = row->weight,
	};
}

static void merge(struct unique_stacks *stacks)
{
	size_t merged = 0;

	qsort(stacks->items, stacks->count, sizeof(*stacks->items), compare_identity);
	for (size_t i = 0; i < stacks->count; i++) {
		if (merged && !compare_identity(&stacks->items[merged - 1], &stacks->items[i])) {
			stacks->items[merged - 1].samples += stacks->items[i].samples;
			stacks->items[merged - 1].weight += stacks->items[i].weight;
		} else {
			stacks->items[merged++] = stacks->items[i];
		}
	}
	stacks->count = merged;
	qsort(stacks->items, merged, sizeof(*stacks->items), compare_weight);
}

static int unique_stacks_init(struct unique_stacks *stacks, const struct rows *rows, const struct readings *readings,
			      const struct task_names *names, struct unique_settings settings)
{
	*stacks = (struct unique_stacks){.items = calloc(rows->count + 1, sizeof(*stacks->items))};
	if (!stacks->items)
		return -ENOMEM;
	for (; stacks->count < rows->count; stacks->count++)
		stacks->items[stacks->count] = stack_of(&rows->items[stacks->count], names,
							readings, settings);
	merge(stacks);
	return 0;
}

static void unique_stacks_deinit(struct unique_stacks *stacks)
{
	free(stacks->items);
	*stacks = (struct unique_stacks){0};
}

/* --- stack table --- */

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

	*table = (struct stack_table){.settings = {.style = frame_list_style(settings), .by_missing = by_missing,
						   .per_process = settings->per_process}};
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

/* --- the two views --- */

struct stack_view {
	const struct view_context *context;
	const struct profile_source *source;
	struct stack_table table;
	struct chain chain;
};

/* Prints the stacks of the table; `slice`: after the heading of one. */
typedef int print_stacks(struct stack_view *view, bool slice);

static void stack_view_deinit(struct stack_view *view)
{
	stack_table_deinit(&view->table);
	chain_deinit(&view->chain);
}

static int print_slices(struct stack_view *view, uint32_t number, bool bare, print_stacks *print)
{
	_cleanup_(slices_deinit) struct slices slices;
	struct slice slice;
	int r = slices_init(&slices, view->context, number);

	while (!r && (r = slices_next(&slices, &slice)) > 0) {
		slices_write_heading(&slices, &slice, view->context, bare);
		r = stack_table_fill(&view->table, &slice.rows) ?: print(view, true);
	}
	return r;
}

static int print_table(struct stack_view *view, uint32_t number, bool bare, print_stacks *print)
{
	if (slices_are_wanted(view->context, view->source))
		return print_slices(view, number, bare, print);
	return stack_table_fill(&view->table, &view->table.rows) ?: print(view, false);
}

/*
 * Leaf first, lightest stack first: the multi-line format of bcc's offcputime and stackcount. An empty line is above
 * each stack; in a slice, which begins with its heading, below each stack.
 */
static int print_lines(struct stack_view *view, bool slice)
{
	const struct stack_table *table = &view->table;
	FILE *out = view->context->out;

	for (size_t i = 0; i < table->stacks.count; i++) {
		const struct unique_stack *stack = &table->stacks.items[i];
		int r = chain_read(&view->chain, view->context->profile, stack->node);

		if (r < 0)
			return r;
		(void)fputs(slice ? "" : "\n", out);
		frame_list_write(view->context, table->functions, &view->chain);
		task_names_write_owner(&table->names, stack->comm, stack->process, table->settings.per_process, out);
		(void)fprintf(out, "        %" PRIu64 "\n%s", page_figure(view->source, stack->samples, stack->weight),
			      slice ? "\n" : "");
	}
	if (table->stacks.count && !slice)
		(void)fputc('\n', out);
	return 0;
}

static int show_stacks(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	_cleanup_(stack_view_deinit) struct stack_view view = {.context = context, .source = source};

	return stack_table_init(&view.table, context, number, FUNCTIONS_BY_ADDRESS, false) ?:
	       print_table(&view, number, false, print_lines);
}

const struct view stacks_view = {
	VIEW_OPTION("stacks", .help = "every stack, leaf first, the rarest stack first"),
	.print = show_stacks, .kinds = VIEW_ANY_KIND, .by = true, .slices = true,
};

/* "comm;root;...;leaf N", one line per stack, for flame graphs; for waits in the format of bcc's offcputime. */
static int print_folded(struct stack_view *view, bool slice)
{
	const struct fold fold = {.context = view->context, .functions = view->table.functions,
				  .names = &view->table.names, .groups = &view->table.groups};
	bool waits = view->source->kind == PROFILE_OFFCPU;
	int r = 0;

	(void)slice;
	for (size_t i = 0; !r && i < view->table.stacks.count; i++) {
		const struct unique_stack *stack = &view->table.stacks.items[i];

		r = chain_read(&view->chain, view->context->profile, stack->node) ?: fold_group(&fold, stack->group);
		if (r < 0)
			return r;
		fold_owner(&fold, stack->comm, stack->process);
		r = waits ? fold_sleeper(&fold, &view->chain, stack->user_missing) : fold_chain(&fold, &view->chain);
		(void)fprintf(view->context->out, " %" PRIu64 "\n",
			      page_figure(view->source, stack->samples, stack->weight));
	}
	return r;
}

static int show_folded(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	bool by_missing = source->kind == PROFILE_OFFCPU && !context->settings->kernel_only;
	_cleanup_(stack_view_deinit) struct stack_view view = {.context = context, .source = source};

	return stack_table_init(&view.table, context, number, FUNCTIONS_BY_NAME, by_missing) ?:
	       print_table(&view, number, true, print_folded);
}

const struct view folded_view = {
	VIEW_OPTION("folded", .short_name = 'f', .help = "one line per stack, for flame graphs"),
	.print = show_folded, .kinds = VIEW_ANY_KIND, .by = true, .bare = true, .slices = true,
};
