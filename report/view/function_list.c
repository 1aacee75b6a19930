/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * --functions: one line for each function, with what it took itself (chains that end in it), and in total, with all
 * that it called. A chain counts once for each of its functions, also if they are recursive.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/log.h"
#include "report/profile/figures.h"
#include "report/view/call_tree.h"
#include "report/view/functions.h"
#include "report/view/groups.h"
#include "report/view/leaf_groups.h"
#include "report/view/page.h"
#include "report/view/view.h"

struct function_total {
	uint32_t function; /* FUNCTION_NONE: empty chains */
	struct tally self, total;
	uint32_t on_path; /* how often it is on the current path */
	bool present;	  /* in some chain */
};

struct function_list {
	const struct view_context *context;
	const struct profile_source *source;
	struct functions *functions;
	struct call_tree_builder *builder;
	struct rows rows;
	ARRAY(struct function_total) totals; /* first by function, then those that are present, sorted */
	struct figure_columns columns;
	uint64_t passed; /* waits whose wakers are shown without the frames of the wakeup */
};

static void function_list_deinit(struct function_list *list)
{
	array_free(&list->totals);
	rows_deinit(&list->rows);
	call_tree_builder_destroy(list->builder);
	functions_destroy(list->functions);
}

/* Functions are numbered as they are found. */
static int make_room(struct function_list *list, uint32_t function)
{
	while (list->totals.count <= function) {
		uint32_t number = (uint32_t)list->totals.count;

		if (array_push(&list->totals, (struct function_total){.function = number}) < 0)
			return -ENOMEM;
	}
	list->totals.items[function].present = true;
	return 0;
}

static int add_self(struct function_list *list)
{
	for (size_t i = 0; i < list->rows.count; i++) {
		uint32_t function;
		int r = functions_find_node(list->functions, list->rows.items[i].node, &function);

		if (!r)
			r = make_room(list, function);
		if (r < 0)
			return r;
		tally_add_row(&list->totals.items[function].self, &list->rows.items[i]);
	}
	if (list->totals.count)
		list->totals.items[FUNCTION_NONE].total = list->totals.items[FUNCTION_NONE].self;
	return 0;
}

/* Traverses the tree of all chains; at each node it is known which functions are on the path from the root. */
static int add_totals(struct function_list *list)
{
	_cleanup_free_ uint32_t *next = NULL; /* by node: how many of its children were visited */
	struct call_tree tree;
	uint32_t node = 0;
	int r = call_tree_build(list->builder, list->rows.items, list->rows.count, &tree);

	for (size_t i = 1; !r && i < tree.count; i++)
		r = make_room(list, tree.nodes[i].function);
	if (r < 0)
		return r;
	next = calloc(tree.count, sizeof(*next));
	if (!next)
		return -ENOMEM;
	while (node || next[node] < tree.nodes[node].child_count) {
		const struct call_tree_node *at = &tree.nodes[node];

		if (next[node] == at->child_count) {
			list->totals.items[at->function].on_path--;
			node = at->parent;
			continue;
		}
		node = tree.children[at->first_child + next[node]++];
		at = &tree.nodes[node];
		if (!list->totals.items[at->function].on_path++)
			tally_add(&list->totals.items[at->function].total,
				  &(struct tally){at->samples, at->weight, at->run_queue, at->throttled});
	}
	return 0;
}

static int function_list_init(struct function_list *list, const struct view_context *context, uint32_t number,
			      const struct profile_source *source)
{
	size_t kept = 0;
	int r;

	*list = (struct function_list){
		.context = context, .source = source, .columns = figure_columns_of(context, source)};
	r = functions_create(context->profile, FUNCTIONS_BY_MODULE, page_no_frames(context->settings), &list->functions) ?:
	    call_tree_builder_create(context->profile, list->functions, &list->builder) ?:
	    rows_init(&list->rows, context->profile, number, context->only);
	if (!r && source->kind == PROFILE_WAKERS && !context->settings->addresses)
		r = wake_leaves_pass(&list->rows, context->profile, list->functions, &list->passed);
	if (!r)
		r = add_self(list) ?: add_totals(list);
	for (size_t i = 0; i < list->totals.count; i++)
		if (list->totals.items[i].present)
			list->totals.items[kept++] = list->totals.items[i];
	list->totals.count = kept;
	return r;
}

/* --- order: by one figure, then by the others, then by name --- */

/* Code without a symbol has its module as its name. */
static const char *module_of(const struct functions *functions, uint32_t function)
{
	const char *module = functions_module(functions, function);

	return module[0] ? module : functions_name(functions, function);
}

static int compare_by(const struct functions *functions, enum view_order order, const struct function_total *l,
		      const struct function_total *r)
{
	switch (order) {
	case VIEW_BY_SELF:
		return COMPARE(r->self.weight, l->self.weight);
	case VIEW_BY_TOTAL:
		return COMPARE(r->total.weight, l->total.weight);
	case VIEW_BY_COUNT:
		return COMPARE(r->total.samples, l->total.samples);
	case VIEW_BY_MODULE:
		return strcmp(module_of(functions, l->function), module_of(functions, r->function));
	default:
		return functions_compare(functions, l->function, r->function);
	}
}

static int compare_rows(const void *left, const void *right, void *context)
{
	const struct function_list *list = context;
	const enum view_order steps[] = {list->context->settings->function_order, VIEW_BY_SELF, VIEW_BY_TOTAL,
					 VIEW_BY_COUNT, VIEW_BY_NAME};
	int order = 0;

	for (size_t i = 0; !order && i < sizeof(steps) / sizeof(steps[0]); i++)
		order = compare_by(list->functions, steps[i], left, right);
	return order;
}

/* --- lines --- */

/* The figure that decides whether a function is shown: self if functions are sorted by it, else total. */
static uint64_t deciding_weight(const struct function_list *list, const struct function_total *row)
{
	return list->context->settings->function_order == VIEW_BY_SELF ? row->self.weight : row->total.weight;
}

static bool is_shown(const struct function_list *list, const struct function_total *row, size_t shown)
{
	const struct view_settings *settings = list->context->settings;

	return (!settings->max_groups || shown < settings->max_groups) &&
	       figure_reaches(deciding_weight(list, row), page_total(list->source), settings->min_share);
}

static void print_head(const struct function_list *list)
{
	static const char *const orders[VIEW_ORDERS] = {
		[VIEW_BY_SELF] = "most self first",   [VIEW_BY_TOTAL] = "most total first",
		[VIEW_BY_COUNT] = "most often first", [VIEW_BY_NAME] = "by name",
		[VIEW_BY_MODULE] = "by module, most self first"};
	const struct figure_columns *columns = &list->columns;
	FILE *out = list->context->out;

	page_comment(list->context, out, "%s of each function alone (self) and with all that it called (total), %s",
		     figure_columns_unit(columns), orders[list->context->settings->function_order]);
	figure_columns_write_head(columns, "self", true, out);
	figure_columns_write_head(columns, "total", false, out);
	if (columns->kind != FIGURES_COUNTED)
		(void)fprintf(out, "%*s", FIGURE_AMOUNT_WIDTH, page_unit(list->source));
	(void)fputs("  function\n", out);
}

static int print_row(const struct function_list *list, const struct function_total *row)
{
	const struct figure_columns *columns = &list->columns;
	const char *module = functions_module(list->functions, row->function);
	size_t column = 2 * figure_columns_width(columns) + 2;
	_cleanup_free_ char *name = NULL;
	FILE *out = list->context->out;

	if (asprintf(&name, "%s%s%s%s", functions_name(list->functions, row->function),
		     functions_inlined(list->functions, row->function), module[0] ? "  " : "", module) < 0) {
		name = NULL;
		return -ENOMEM;
	}
	figure_columns_write(columns, &row->self, out);
	figure_columns_write(columns, &row->total, out);
	if (columns->kind != FIGURES_COUNTED) {
		figure_columns_write_count(row->total.samples, out);
		column += FIGURE_AMOUNT_WIDTH;
	}
	(void)fputs("  ", out);
	wrap_write(out, name, column, list->context->settings->width);
	(void)fputc('\n', out);
	return 0;
}

static void print_hidden(const struct function_list *list, size_t hidden, uint64_t self)
{
	FILE *out = list->context->out;

	if (list->passed)
		wake_leaves_write_note(list->context, list->passed, rows_samples(&list->rows));
	if (hidden)
		(void)fprintf(out, "# functions not shown: %zu, %s%% of self in all\n", hidden,
			      figure_percent(self, page_total(list->source)).text);
}

static int show_functions(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	_cleanup_(function_list_deinit) struct function_list list;
	int r = function_list_init(&list, context, number, source);
	size_t shown = 0;
	uint64_t self = 0;

	if (r < 0)
		return r;
	if (list.totals.count) {
		qsort_r(list.totals.items, list.totals.count, sizeof(*list.totals.items), compare_rows, &list);
		print_head(&list);
	}
	for (size_t i = 0; i < list.totals.count && !r; i++) {
		const struct function_total *row = &list.totals.items[i];

		if (is_shown(&list, row, shown)) {
			r = print_row(&list, row);
			shown++;
		} else {
			self += row->self.weight;
		}
	}
	if (r < 0)
		return r;
	if (shown)
		(void)fputc('\n', context->out);
	print_hidden(&list, list.totals.count - shown, self);
	return 0;
}

static int parse_order(struct view_settings *settings, const char *value)
{
	static const char *const names[VIEW_ORDERS] = {[VIEW_BY_SELF] = "self",	  [VIEW_BY_TOTAL] = "total",
						       [VIEW_BY_COUNT] = "count", [VIEW_BY_NAME] = "name",
						       [VIEW_BY_MODULE] = "module"};

	for (unsigned int i = 0; i < VIEW_ORDERS; i++)
		if (!strcmp(value ? value : "self", names[i])) {
			settings->function_order = (enum view_order)i;
			return 0;
		}
	return log_error(EINVAL, "--functions must be self, total, count, name or module, not '%s'", value);
}

const struct view functions_view = {
	VIEW_ARGUMENT("functions", "[=ORDER]", .help = "functions by self, total, count, name or module", .often = true),
	.print = show_functions, .parse = parse_order, .kinds = VIEW_ANY_KIND, .by = true,
};
