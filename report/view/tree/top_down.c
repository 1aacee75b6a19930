/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "report/profile/seam/figures.h"
#include "report/view/look/rows.h"
#include "report/view/text/figure_columns.h"
#include "report/view/text/frame_list.h"
#include "report/view/text/page.h"
#include "report/view/tree/tree_print.h"

/* --top-down: one tree of all call chains, callers first; each function with what it took in total and itself. */

struct top_down { /* `text` must be first */
	struct tree_text text;
	const struct view_context *context;
	struct figure_columns columns;
	struct functions *functions;
	struct call_tree_builder *builder;
	struct rows rows;
	struct call_tree_leaf *leaves;
};

static void top_down_deinit(struct top_down *view)
{
	free(view->leaves);
	rows_deinit(&view->rows);
	call_tree_builder_destroy(view->builder);
	functions_destroy(view->functions);
}

/* Addresses of one function are one line, unless addresses were requested. */
static void write_name(const struct tree_text *text, const struct call_tree *tree, const struct call_tree_node *node,
		       FILE *out)
{
	const struct top_down *view = (const struct top_down *)text;
	const struct frame_style style = frame_list_style(view->context->settings);

	(void)tree;
	if (style.addresses || style.offsets)
		functions_write_frame(view->functions, node->frame, style, out);
	else
		functions_write(view->functions, node->function, out);
}

static void write_figures(const struct tree_text *text, const struct tally *total, const uint64_t *self, FILE *out)
{
	const struct top_down *view = (const struct top_down *)text;

	figure_columns_write(&view->columns, total, out);
	if (self)
		figure_columns_write_share(&view->columns, *self, out);
	else
		(void)fprintf(out, "%*s", FIGURE_SHARE_WIDTH, "");
}

static int top_down_init(struct top_down *view, const struct view_context *context, uint32_t number,
			 const struct profile_source *source)
{
	int r;

	*view = (struct top_down){.context = context, .columns = figure_columns_of(context, source)};
	view->text = (struct tree_text){
		.write = write_name,
		.write_figures = write_figures,
		.no_function = page_no_frames(context->settings),
		.width = (unsigned int)figure_columns_width(&view->columns) + FIGURE_SHARE_WIDTH,
	};
	r = functions_create(context->profile, FUNCTIONS_BY_LEAF, view->text.no_function, &view->functions);
	if (!r)
		r = call_tree_builder_create(context->profile, view->functions, &view->builder);
	if (!r)
		r = rows_init(&view->rows, context->profile, number, context->only);
	if (r < 0)
		return r;
	view->leaves = calloc(view->rows.count + 1, sizeof(*view->leaves));
	if (!view->leaves)
		return -ENOMEM;
	for (size_t i = 0; i < view->rows.count; i++)
		view->leaves[i] = (struct call_tree_leaf){.node = view->rows.items[i].node,
							  .weight = view->rows.items[i].weight,
							  .samples = view->rows.items[i].samples,
							  .run_queue = view->rows.items[i].run_queue,
							  .throttled = view->rows.items[i].throttled};
	return 0;
}

static void print_head(const struct top_down *view)
{
	FILE *out = view->context->out;

	page_comment(view->context, out,
		     "%s of each function with all that it called (total) and alone (self), callers first",
		     figure_columns_unit(&view->columns));
	figure_columns_write_head(&view->columns, "total", true, out);
	(void)fprintf(out, "%*s  function\n", FIGURE_SHARE_WIDTH, "self");
}

static void print_hidden(const struct top_down *view, const struct tree_hidden *hidden)
{
	const struct view_settings *settings = view->context->settings;

	if (hidden->branches)
		(void)fprintf(view->context->out, "# branches below %s%% not shown: %" PRIu64 ", %s%% in all\n",
			      figure_percent(settings->min_share, 1000000).text, hidden->branches,
			      figure_percent(hidden->weight, page_total(view->columns.source)).text);
}

static int show_top_down(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	_cleanup_(top_down_deinit) struct top_down view;
	struct tree_hidden hidden = {0};
	struct call_tree tree;
	int r = top_down_init(&view, context, number, source);

	if (!r)
		r = call_tree_find_functions(view.builder, view.leaves, view.rows.count);
	if (!r)
		r = call_tree_build(view.builder, view.leaves, view.rows.count, &tree);
	if (r < 0 || !view.rows.count)
		return r;
	print_head(&view);
	r = tree_print(context, &view.text, &tree, 0, page_total(source), &hidden);
	if (r < 0)
		return r;
	(void)fputc('\n', context->out);
	print_hidden(&view, &hidden);
	return 0;
}

const struct view top_down_view = {
	VIEW_OPTION("top-down", .help = "the tree of all call chains, callers first"),
	.print = show_top_down, .kinds = VIEW_ANY_KIND, .by = true,
};
