/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --tree and --top-down. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/printable.h"
#include "report/profile/figures.h"
#include "report/view/call_tree.h"
#include "report/view/frame_text.h"
#include "report/view/groups.h"
#include "report/view/leaf_groups.h"
#include "report/view/object_text.h"
#include "report/view/page.h"
#include "report/view/task_names.h"
#include "report/view/view.h"

/* --- objects --- */

/* What the waits of a call tree's chains were for, or what walked tasks slept for: a few lines below each leaf. */

struct tree_objects {
	struct waits waits;
	struct object_tally tally; /* of the latest tree, by node */
	const struct profile_wait *items; /* the profile's waits, or `walked` */
	struct profile_wait *walked;	  /* the waits that walked tasks were in */
	uint32_t *order;		  /* waits of the source, by profile node and task */
	size_t count;
	uint64_t total; /* the weight that shares refer to */
};

/* --- tree objects --- */

enum { SHOWN = 3 };

static int compare_keys(const struct profile_wait *wait, uint32_t node, uint32_t task)
{
	return COMPARE(wait->node, node) ?: COMPARE(wait->task, task);
}

static int compare_waits(const void *left, const void *right, void *context)
{
	const struct tree_objects *objects = context;
	const uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;
	const struct profile_wait *waits = objects->items;

	return compare_keys(&waits[l], waits[r].node, waits[r].task) ?: COMPARE(l, r);
}

static int find_waits(struct tree_objects *objects, const struct view_context *context, uint32_t source)
{
	objects->items = objects->waits.items;
	objects->order = calloc(objects->waits.count + 1, sizeof(*objects->order));
	if (!objects->order)
		return -ENOMEM;
	for (uint32_t i = 0; i < objects->waits.count; i++) {
		const struct profile_wait *wait = &objects->items[i];

		if (wait->source == source && wait_is_shown(wait) &&
		    group_choice_has(context->only, wait->task, wait->in_cpu))
			objects->order[objects->count++] = i;
	}
	return 0;
}

static int find_walked(struct tree_objects *objects, const struct view_context *context)
{
	const struct profile_walk_task *rows;
	size_t count = profile_walk_tasks(context->profile, &rows);

	objects->order = calloc(count + 1, sizeof(*objects->order));
	objects->walked = calloc(count + 1, sizeof(*objects->walked));
	if (!objects->order || !objects->walked)
		return -ENOMEM;
	objects->items = objects->walked;
	for (uint32_t i = 0; i < count; i++) {
		const uint16_t cpu = rows[i].cpu < PROFILE_NO_CPU ? (uint16_t)rows[i].cpu : PROFILE_NO_CPU;

		objects->walked[i] = profile_walk_wait(&rows[i]);
		if (group_choice_has(context->only, rows[i].task, cpu))
			objects->order[objects->count++] = i;
	}
	return 0;
}

static int tree_objects_init(struct tree_objects *objects, const struct view_context *context, uint32_t source)
{
	const struct profile_source *sources;
	int r;

	*objects = (struct tree_objects){0};
	(void)profile_sources(context->profile, &sources);
	objects->total = sources[source].weight;
	r = waits_init(&objects->waits, context->profile) ?:
	    object_tally_init(&objects->tally, &objects->waits);
	if (!r && sources[source].kind == PROFILE_TASKS)
		r = find_walked(objects, context);
	else if (!r)
		r = find_waits(objects, context, source);
	if (r < 0)
		return r;
	qsort_r(objects->order, objects->count, sizeof(*objects->order), compare_waits, objects);
	return 0;
}

static void tree_objects_deinit(struct tree_objects *objects)
{
	object_tally_deinit(&objects->tally);
	free(objects->order);
	free(objects->walked);
	*objects = (struct tree_objects){0};
}

static int add_row(struct tree_objects *objects, uint32_t line, const struct row *row)
{
	const struct profile_wait *waits = objects->items;
	const uint32_t *order = objects->order;
	size_t i = SORTED_FIRST(at, objects->count, compare_keys(&waits[order[at]], row->node, row->task) >= 0);
	int r = 0;

	for (; i < objects->count && !r && !compare_keys(&waits[order[i]], row->node, row->task); i++)
		r = object_tally_add(&objects->tally, line, &waits[order[i]], waits[order[i]].weight);
	return r;
}

/* Rows that differ only in flags or CPU have the same waits. */
static int tree_objects_gather(struct tree_objects *objects, const struct call_tree_builder *builder, const struct row *rows,
			       size_t count)
{
	int r = 0;

	object_tally_clear(&objects->tally);
	for (size_t i = 0; i < count && !r; i++)
		if (!i || rows[i].node != rows[i - 1].node || rows[i].task != rows[i - 1].task)
			r = add_row(objects, call_tree_end(builder, rows[i].node), &rows[i]);
	object_tally_finish(&objects->tally);
	return r;
}

static size_t known_sums(const struct tree_objects *objects, uint32_t node, const struct object_sum **ret_sums)
{
	size_t count = object_tally_find(&objects->tally, node, ret_sums);

	return count && !object_sum_is_known(&objects->tally, &(*ret_sums)[count - 1]) ? count - 1 : count;
}

/* "[in read of pipe:5  12.34%]" for the objects of a tree's node that were waited for longest. */
static void tree_objects_write(const struct tree_objects *objects, uint32_t node, const char *before, FILE *out)
{
	const struct object_sum *sums;
	const size_t count = known_sums(objects, node, &sums), shown = count > SHOWN + 1 ? SHOWN : count;
	uint64_t weight = 0;

	for (size_t i = 0; i < shown; i++) {
		(void)fputs(before, out);
		object_alike_write(out, "[", &objects->waits, &sums[i].alike);
		(void)fprintf(out, "  %s%%]\n", figure_percent(sums[i].weight, objects->total).text);
	}
	for (size_t i = shown; i < count; i++)
		weight = wait_add(weight, sums[i].weight);
	if (shown < count)
		(void)fprintf(out, "%s[%zu other%s  %s%%]\n", before, count - shown, plural(count - shown),
			      figure_percent(weight, objects->total).text);
}

/* --- tree --- */

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

/* Looks up the names of the functions of all groups shown. */
static int find_names(struct tree_view *view)
{
	int r = 0;

	for (size_t i = 0; i < view->shown && !r; i++)
		r = call_tree_find_functions(view->builder, view->groups.rows + view->groups.items[i].first,
					     view->groups.items[i].count);
	return r;
}

static int tree_view_init(struct tree_view *view, const struct view_context *context, uint32_t number,
			  const struct profile_source *source)
{
	const struct view_settings *settings = context->settings;
	int r;

	*view = (struct tree_view){.context = context, .source = source,
				   .has_objects = settings->addresses &&
					  (source->kind == PROFILE_OFFCPU || source->kind == PROFILE_TASKS)};
	r = functions_create(context->profile, FUNCTIONS_BY_LEAF, page_no_frames(settings), &view->functions) ?:
	    call_tree_builder_create(context->profile, view->functions, &view->builder) ?:
	    task_names_init(&view->names, context->profile) ?:
	    comm_list_init(&view->comms, &view->names) ?:
	    rows_init(&view->rows, context->profile, number, context->only);
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
	r = call_tree_build(view->builder, view->groups.rows + group->first, group->count, &tree);
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
	uint64_t total = page_total(view->source), weight = 0;
	FILE *out = view->context->out;

	if (view->passed)
		wake_leaves_write_note(view->context, view->passed, rows_samples(&view->rows));
	for (size_t i = view->shown; i < view->groups.count; i++)
		weight += view->groups.items[i].tally.weight;
	if (view->shown < view->groups.count)
		(void)fprintf(out, "# leaf functions not shown: %zu, %s%% in all\n",
			      view->groups.count - view->shown, figure_percent(weight, total).text);
	tree_hidden_write(view->context, &view->hidden, total);
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

/* --- top down --- */

/* --top-down: one tree of all call chains, callers first; each function with what it took in total and itself. */

struct top_down { /* `text` must be first */
	struct tree_text text;
	const struct view_context *context;
	struct figure_columns columns;
	struct functions *functions;
	struct call_tree_builder *builder;
	struct rows rows;
};

static void top_down_deinit(struct top_down *view)
{
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
	*view = (struct top_down){.context = context, .columns = figure_columns_of(context, source)};
	view->text = (struct tree_text){
		.write = write_name,
		.write_figures = write_figures,
		.no_function = page_no_frames(context->settings),
		.width = (unsigned int)figure_columns_width(&view->columns) + FIGURE_SHARE_WIDTH,
	};
	return functions_create(context->profile, FUNCTIONS_BY_LEAF, view->text.no_function, &view->functions) ?:
	       call_tree_builder_create(context->profile, view->functions, &view->builder) ?:
	       rows_init(&view->rows, context->profile, number, context->only);
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

static int show_top_down(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	_cleanup_(top_down_deinit) struct top_down view;
	struct tree_hidden hidden = {0};
	struct call_tree tree;
	int r = top_down_init(&view, context, number, source) ?:
		call_tree_find_functions(view.builder, view.rows.items, view.rows.count) ?:
		call_tree_build(view.builder, view.rows.items, view.rows.count, &tree);

	if (r < 0 || !view.rows.count)
		return r;
	print_head(&view);
	r = tree_print(context, &view.text, &tree, 0, page_total(source), &hidden);
	if (r < 0)
		return r;
	(void)fputc('\n', context->out);
	tree_hidden_write(context, &hidden, page_total(source));
	return 0;
}

const struct view top_down_view = {
	VIEW_OPTION("top-down", .help = "the tree of all call chains, callers first"),
	.print = show_top_down, .kinds = VIEW_ANY_KIND, .by = true,
};
