/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/profile/seam/figures.h"
#include "report/view/text/comm_list.h"
#include "report/view/text/figure_columns.h"
#include "report/view/text/page.h"
#include "report/view/text/paint.h"
#include "report/view/text/wrap.h"
#include "report/view/tree/call_tree.h"
#include "report/view/tree/leaf_groups.h"
#include "report/view/tree/tree_objects.h"
#include "report/view/tree/tree_print.h"
#include "report/view/tree/wake_leaves.h"

enum { COMMS_SHOWN = 4, HEADING_INDENT = 4 };

struct tree_view { /* of one source */
	const struct view_context *context;
	const struct profile_source *source;
	struct functions *functions;
	struct call_tree_builder *builder;
	struct task_names names;
	struct comm_list comms;
	struct rows rows;
	struct leaf_groups groups;
	struct call_tree_leaf *leaves; /* parallel to the groups' rows */
	size_t shown;		       /* number of groups shown */
	struct tree_hidden hidden;
	bool has_objects;
	struct tree_objects objects; /* only with addresses, for waits and walked tasks */
	uint64_t passed; /* waits whose wakers are shown without the frames of the wakeup */
};

static void tree_view_deinit(struct tree_view *view)
{
	tree_objects_deinit(&view->objects);
	leaf_groups_deinit(&view->groups);
	rows_deinit(&view->rows);
	comm_list_deinit(&view->comms);
	task_names_deinit(&view->names);
	call_tree_builder_destroy(view->builder);
	functions_destroy(view->functions);
	free(view->leaves);
}

/* The number of groups shown; they are sorted, heaviest first. */
static size_t shown_groups(const struct tree_view *view)
{
	const struct view_settings *settings = view->context->settings;
	uint64_t total = page_total(view->source);
	size_t shown = 0;

	while (shown < view->groups.count && (!settings->max_groups || shown < settings->max_groups) &&
	       figure_reaches(view->groups.items[shown].tally.weight, total, settings->min_share))
		shown++;
	return shown;
}

/* Looks up the call chains of all groups shown, and the names of their functions. */
static int find_names(struct tree_view *view)
{
	_cleanup_free_ struct call_tree_leaf *shown = calloc(view->rows.count + 1, sizeof(*shown));
	size_t count = 0;

	view->leaves = calloc(view->rows.count + 1, sizeof(*view->leaves));
	if (!shown || !view->leaves)
		return -ENOMEM;
	for (size_t i = 0; i < view->rows.count; i++)
		view->leaves[i] = (struct call_tree_leaf){.node = view->groups.rows[i].node,
							  .weight = view->groups.rows[i].weight};
	for (size_t i = 0; i < view->shown; i++) {
		const struct leaf_group *group = &view->groups.items[i];

		memcpy(shown + count, view->leaves + group->first, group->count * sizeof(*shown));
		count += group->count;
	}
	return call_tree_find_functions(view->builder, shown, count);
}

static int tree_view_init(struct tree_view *view, const struct view_context *context, uint32_t number,
			  const struct profile_source *source)
{
	const struct view_settings *settings = context->settings;
	int r;

	*view = (struct tree_view){.context = context, .source = source,
				   .has_objects = settings->addresses &&
					  (source->kind == PROFILE_OFFCPU || source->kind == PROFILE_TASKS)};
	r = functions_create(context->profile, FUNCTIONS_BY_LEAF, page_no_frames(settings),
			     &view->functions);
	if (!r)
		r = call_tree_builder_create(context->profile, view->functions, &view->builder);
	if (!r)
		r = task_names_init(&view->names, context->profile);
	if (!r)
		r = comm_list_init(&view->comms, &view->names);
	if (!r)
		r = rows_init(&view->rows, context->profile, number, context->only);
	if (!r && source->kind == PROFILE_WAKERS && !settings->addresses)
		r = wake_leaves_pass(&view->rows, context->profile, view->functions, &view->passed);
	if (!r)
		r = leaf_groups_init(&view->groups, &view->rows, view->functions, &view->names,
				     settings->per_process);
	if (!r && view->has_objects)
		r = tree_objects_init(&view->objects, context, number);
	if (r < 0)
		return r;
	view->shown = shown_groups(view);
	return find_names(view);
}

/* ">>> 22.98%  name  (123.4ms)  Comms: dd, sh"; for waits also the parts blocked and on run queues. 0, -ENOMEM. */
static int print_group_line(struct tree_view *view, const struct leaf_group *group)
{
	const struct view_settings *settings = view->context->settings;
	struct wrap line;
	FILE *out = wrap_begin(&line, view->context->out, HEADING_INDENT, settings->width);

	if (!out)
		return -ENOMEM;
	paint_heading(out, settings->color, ">>>");
	(void)fputc(' ', out);
	paint_percent(out, settings->color, group->tally.weight, page_total(view->source));
	(void)fputs("  ", out);
	functions_write(view->functions, group->function, out);
	figure_write_time(view->source, &group->tally, out);
	(void)fputs("  Comms: ", out);
	for (size_t i = 0; i < group->count; i++)
		comm_list_add(&view->comms, view->groups.rows[group->first + i].task,
			      view->groups.rows[group->first + i].weight);
	comm_list_write(&view->comms, COMMS_SHOWN, out);
	if (settings->per_process) {
		(void)fputs("  Pid: ", out);
		task_names_write_process(&view->names, group->process, out);
	}
	return wrap_end(&line);
}

struct frame_text {
	struct tree_text text;
	const struct functions *functions;
	const struct tree_objects *objects;
	struct frame_style style;
};

static void write_frame(const struct tree_text *text, const struct call_tree *tree,
			const struct call_tree_node *node, FILE *out)
{
	const struct frame_text *frame_text = (const struct frame_text *)text;

	(void)tree;
	functions_write_frame(frame_text->functions, node->frame, frame_text->style, out);
}

static void write_end(const struct tree_text *text, const struct call_tree *tree, const struct call_tree_node *node,
		      const char *before, FILE *out)
{
	tree_objects_write(((const struct frame_text *)text)->objects, (uint32_t)(node - tree->nodes), before, out);
}

static int print_group(struct tree_view *view, const struct leaf_group *group)
{
	const struct frame_text text = {
		.text = {.write = write_frame, .write_end = view->has_objects ? write_end : NULL},
		.functions = view->functions,
		.objects = &view->objects,
		.style = {.addresses = view->context->settings->addresses, .offsets = true, .lines = true},
	};
	struct tree_hidden hidden = {0};
	struct call_tree tree;
	int r;

	r = print_group_line(view, group);
	if (r < 0 || group->function == FUNCTION_NONE)
		return r;
	(void)fputs("    |\n", view->context->out);
	r = call_tree_build(view->builder, view->leaves + group->first, group->count, &tree);
	if (!r && view->has_objects)
		r = tree_objects_gather(&view->objects, view->builder, view->groups.rows + group->first, group->count);
	if (!r)
		r = tree_print(view->context, &text.text, &tree, 0, page_total(view->source), &hidden);
	view->hidden.branches += hidden.branches;
	view->hidden.weight += hidden.weight;
	return r;
}

/* Reports what is not shown: nothing is left out silently. */
static void print_hidden(const struct tree_view *view)
{
	uint64_t least = view->context->settings->min_share, total = page_total(view->source), weight = 0;
	FILE *out = view->context->out;

	if (view->passed)
		wake_leaves_write_note(view->context, view->passed, rows_samples(&view->rows));
	for (size_t i = view->shown; i < view->groups.count; i++)
		weight += view->groups.items[i].tally.weight;
	if (view->shown < view->groups.count)
		(void)fprintf(out, "# leaf functions not shown: %zu, %s%% in all\n",
			      view->groups.count - view->shown, figure_percent(weight, total).text);
	if (view->hidden.branches)
		(void)fprintf(out, "# branches below %s%% not shown: %" PRIu64 ", %s%% in all\n",
			      figure_percent(least, 1000000).text, view->hidden.branches,
			      figure_percent(view->hidden.weight, total).text);
}

static int show_tree(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	_cleanup_(tree_view_deinit) struct tree_view view;
	int r = tree_view_init(&view, context, number, source);

	if (r < 0)
		return r;
	for (size_t i = 0; i < view.shown; i++) {
		(void)fputc('\n', context->out);
		r = print_group(&view, &view.groups.items[i]);
		if (r < 0)
			return r;
	}
	if (view.shown)
		(void)fputc('\n', context->out);
	print_hidden(&view);
	return 0;
}

const struct view tree_view = {
	VIEW_OPTION("tree", .help = "leaf functions, each with the tree of its callers", .often = true),
	.print = show_tree, .kinds = VIEW_ANY_KIND, .by = true,
};
