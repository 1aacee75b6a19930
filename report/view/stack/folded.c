/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/view.h"

#include <inttypes.h>

#include "common/cleanup.h"
#include "report/view/stack/slices.h"
#include "report/view/stack/stack_table.h"
#include "report/view/text/fold.h"
#include "report/view/text/page.h"

/* "comm;root;...;leaf N", one line per stack, for flame graphs; for waits in the format of bcc's offcputime. */

struct folded_view {
	const struct view_context *context;
	const struct profile_source *source;
	struct stack_table table;
	struct chain chain;
};

static void folded_view_deinit(struct folded_view *view)
{
	stack_table_deinit(&view->table);
	chain_deinit(&view->chain);
}

static int print_rows(struct folded_view *view, const struct rows *rows)
{
	bool waits = view->source->kind == PROFILE_OFFCPU;
	const struct fold fold = {
		.context = view->context, .functions = view->table.functions, .names = &view->table.names,
		.groups = &view->table.groups};
	int r = stack_table_fill(&view->table, rows);

	for (size_t i = 0; !r && i < view->table.stacks.count; i++) {
		const struct unique_stack *stack = &view->table.stacks.items[i];

		r = chain_read(&view->chain, view->context->profile, stack->node);
		if (!r)
			r = fold_group(&fold, stack->group);
		if (r < 0)
			return r;
		fold_owner(&fold, stack->comm, stack->process);
		r = waits ? fold_sleeper(&fold, &view->chain, stack->user_missing) :
			    fold_chain(&fold, &view->chain);
		(void)fprintf(view->context->out, " %" PRIu64 "\n",
			      page_figure(view->source, stack->samples, stack->weight));
	}
	return r;
}

static int print_slices(struct folded_view *view, uint32_t number)
{
	_cleanup_(slices_deinit) struct slices slices;
	struct slice slice;
	int r = slices_init(&slices, view->context, number);

	while (!r && (r = slices_next(&slices, &slice)) > 0) {
		slices_write_heading(&slices, &slice, view->context, true);
		r = print_rows(view, &slice.rows);
	}
	return r;
}

static int show_folded(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	bool by_missing = source->kind == PROFILE_OFFCPU && !context->settings->kernel_only;
	_cleanup_(folded_view_deinit) struct folded_view view = {.context = context, .source = source};
	int r = stack_table_init(&view.table, context, number, FUNCTIONS_BY_NAME, by_missing);

	if (r < 0)
		return r;
	return slices_are_wanted(context, source) ? print_slices(&view, number) :
						    print_rows(&view, &view.table.rows);
}

const struct view folded_view = {
	VIEW_OPTION("folded", .short_name = 'f', .help = "one line per stack, for flame graphs"),
	.print = show_folded, .kinds = VIEW_ANY_KIND, .by = true, .bare = true, .slices = true,
};
