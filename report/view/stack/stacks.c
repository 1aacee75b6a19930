/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/view.h"

#include <inttypes.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/printable.h"
#include "report/view/look/chain.h"
#include "report/view/stack/slices.h"
#include "report/view/stack/stack_table.h"
#include "report/view/text/frame_list.h"
#include "report/view/text/page.h"

/* Unique stacks, leaf first, lightest stack first: the multi-line format of bcc's offcputime and stackcount. */

static void print_owner(const struct view_context *context, const struct stack_table *table,
			const struct unique_stack *stack)
{
	const char *comm = table->names.comms[stack->comm];

	(void)fprintf(context->out, "    %-16s ", "-");
	printable_write(context->out, comm, strlen(comm));
	if (context->settings->per_process) {
		(void)fputs(" (", context->out);
		task_names_write_process(&table->names, stack->process, context->out);
		(void)fputc(')', context->out);
	}
	(void)fputc('\n', context->out);
}

/* Prints an empty line above each stack; in a slice, which begins with its heading, below each stack. */
static int print_stacks(const struct view_context *context, const struct stack_table *table,
			const struct profile_source *source, bool slice, struct chain *chain)
{
	for (size_t i = 0; i < table->stacks.count; i++) {
		const struct unique_stack *stack = &table->stacks.items[i];
		int r = chain_read(chain, context->profile, stack->node);

		if (r < 0)
			return r;
		(void)fputs(slice ? "" : "\n", context->out);
		frame_list_write(context, table->functions, chain);
		print_owner(context, table, stack);
		(void)fprintf(context->out, "        %" PRIu64 "\n%s",
			      page_figure(source, stack->samples, stack->weight), slice ? "\n" : "");
	}
	if (table->stacks.count && !slice)
		(void)fputc('\n', context->out);
	return 0;
}

static int print_slices(const struct view_context *context, struct stack_table *table, uint32_t number,
			const struct profile_source *source, struct chain *chain)
{
	_cleanup_(slices_deinit) struct slices slices;
	struct slice slice;
	int r = slices_init(&slices, context, number);

	while (!r && (r = slices_next(&slices, &slice)) > 0) {
		slices_write_heading(&slices, &slice, context, false);
		r = stack_table_fill(table, &slice.rows);
		if (!r)
			r = print_stacks(context, table, source, true, chain);
	}
	return r;
}

static int show_stacks(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	_cleanup_(stack_table_deinit) struct stack_table table;
	_cleanup_(chain_deinit) struct chain chain = {0};
	int r = stack_table_init(&table, context, number, FUNCTIONS_BY_ADDRESS, false);

	if (r < 0)
		return r;
	if (slices_are_wanted(context, source))
		return print_slices(context, &table, number, source, &chain);
	r = stack_table_fill(&table, &table.rows);
	return r < 0 ? r : print_stacks(context, &table, source, false, &chain);
}

const struct view stacks_view = {
	VIEW_OPTION("stacks", .help = "every stack, leaf first, the rarest stack first"),
	.print = show_stacks, .kinds = VIEW_ANY_KIND, .by = true, .slices = true,
};
