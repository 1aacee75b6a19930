/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How much of a source each function took: itself (chains that end in it), and in total, with all
 * that it called. A chain counts once for each of its functions, also if they are recursive.
 *
 * The time depends on the number of rows and of nodes that their chains touch, not on their depth.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/log.h"
#include "report/profile/figures.h"
#include "report/view/figure_columns.h"
#include "report/view/functions.h"
#include "report/view/groups.h"
#include "report/view/leaf_groups.h"
#include "report/view/page.h"
#include "report/view/view.h"

struct function_total {
	uint32_t function; /* FUNCTION_NONE: empty chains */
	struct tally self, total;
};

struct function_totals {
	struct function_total *items; /* in no particular order; each is in some chain */
	size_t count;
};

/* --- function totals --- */

struct spot { /* a node of the profile that chains pass through */
	struct tally tally;
	uint32_t first_child, next; /* 0: none */
	uint32_t function;
	bool touched;
};

struct found { /* by function */
	struct function_total total;
	uint32_t on_path; /* how often it is on the current chain */
	bool present;
};

struct counting {
	struct functions *functions;
	const struct profile_node *nodes;
	size_t count;
	struct spot *spots; /* by node */
	ARRAY(uint32_t) touched;
	ARRAY(struct found) found;
};

static void counting_deinit(struct counting *counting)
{
	free(counting->spots);
	array_free(&counting->touched);
	array_free(&counting->found);
}

/* Functions are numbered as they are found. */
static int make_room(struct counting *counting, uint32_t function)
{
	while (counting->found.count <= function) {
		uint32_t number = (uint32_t)counting->found.count;

		if (array_push(&counting->found, (struct found){.total.function = number}) < 0)
			return -ENOMEM;
	}
	counting->found.items[function].present = true;
	return 0;
}

/* Adds a node and its ancestors, up to the first that is already known. */
static int touch(struct counting *counting, uint32_t node)
{
	while (node < counting->count && !counting->spots[node].touched) {
		struct spot *spot = &counting->spots[node];
		int r = functions_find_node(counting->functions, node, &spot->function);

		if (!r && node)
			r = make_room(counting, spot->function);
		if (r < 0 || array_push(&counting->touched, node) < 0)
			return r < 0 ? r : -ENOMEM;
		spot->touched = true;
		if (!node)
			return 0;
		if (counting->nodes[node].parent >= node)
			return -EBADMSG;
		node = counting->nodes[node].parent;
	}
	return node < counting->count ? 0 : -EBADMSG;
}

static int add_rows(struct counting *counting, const struct rows *rows)
{
	for (const struct row *row = rows->items; row < rows->items + rows->count; row++) {
		int r = touch(counting, row->node) ?: make_room(counting, counting->spots[row->node].function);

		if (r < 0)
			return r;
		tally_add_row(&counting->spots[row->node].tally, row);
		tally_add_row(&counting->found.items[counting->spots[row->node].function].total.self, row);
	}
	return 0;
}

static int compare_numbers(const void *left, const void *right)
{
	return COMPARE(*(const uint32_t *)left, *(const uint32_t *)right);
}

/* Adds children to their parents, which have lower numbers, and links them. */
static void link_nodes(struct counting *counting)
{
	qsort(counting->touched.items, counting->touched.count, sizeof(uint32_t), compare_numbers);
	for (size_t i = counting->touched.count; i-- > 1;) {
		uint32_t node = counting->touched.items[i];
		struct spot *spot = &counting->spots[node], *parent = &counting->spots[counting->nodes[node].parent];

		tally_add(&parent->tally, &spot->tally);
		spot->next = parent->first_child;
		parent->first_child = node;
	}
}

static void enter(struct counting *counting, const struct spot *spot)
{
	struct found *found = &counting->found.items[spot->function];

	if (!found->on_path++)
		tally_add(&found->total.total, &spot->tally);
}

/* The next node after `node` and all nodes below it; 0 if there is none. */
static uint32_t leave(struct counting *counting, uint32_t node)
{
	while (node && !counting->spots[node].next) {
		counting->found.items[counting->spots[node].function].on_path--;
		node = counting->nodes[node].parent;
	}
	if (!node)
		return 0;
	counting->found.items[counting->spots[node].function].on_path--;
	return counting->spots[node].next;
}

/* Traverses the tree depth first; at each node it is known which functions are on the path from the root. */
static void add_totals(struct counting *counting)
{
	uint32_t node = counting->spots[0].first_child;

	while (node) {
		const struct spot *spot = &counting->spots[node];

		enter(counting, spot);
		node = spot->first_child ? spot->first_child : leave(counting, node);
	}
}

static int take_results(struct counting *counting, struct function_totals *totals)
{
	struct found *none = counting->found.items;

	totals->items = calloc(counting->found.count + 1, sizeof(*totals->items));
	if (!totals->items)
		return -ENOMEM;
	if (counting->found.count)
		none[FUNCTION_NONE].total.total = none[FUNCTION_NONE].total.self;
	for (size_t i = 0; i < counting->found.count; i++)
		if (counting->found.items[i].present)
			totals->items[totals->count++] = counting->found.items[i].total;
	return 0;
}

static int function_totals_init(struct function_totals *totals, const struct rows *rows, struct functions *functions)
{
	_cleanup_(counting_deinit) struct counting counting = {.functions = functions};
	int r;

	*totals = (struct function_totals){0};
	counting.nodes = profile_nodes(functions_profile(functions), &counting.count);
	counting.spots = calloc(counting.count + 1, sizeof(*counting.spots));
	if (!counting.spots)
		return -ENOMEM;
	r = add_rows(&counting, rows);
	if (r < 0)
		return r;
	if (counting.touched.count)
		link_nodes(&counting);
	add_totals(&counting);
	return take_results(&counting, totals);
}

static void function_totals_deinit(struct function_totals *totals)
{
	free(totals->items);
	*totals = (struct function_totals){0};
}

/* --- function list --- */

/* --functions: one line for each function, with what it took itself, and in total, with all that it called. */

struct function_list {
	const struct view_context *context;
	const struct profile_source *source;
	struct functions *functions;
	struct rows rows;
	struct function_totals totals;
	struct figure_columns columns;
	uint64_t passed; /* waits whose wakers are shown without the frames of the wakeup */
};

static void function_list_deinit(struct function_list *list)
{
	function_totals_deinit(&list->totals);
	rows_deinit(&list->rows);
	functions_destroy(list->functions);
}

static int function_list_init(struct function_list *list, const struct view_context *context, uint32_t number,
			      const struct profile_source *source)
{
	int r;

	*list = (struct function_list){
		.context = context, .source = source, .columns = figure_columns_of(context, source)};
	r = functions_create(context->profile, FUNCTIONS_BY_MODULE, page_no_frames(context->settings),
			     &list->functions) ?:
	    rows_init(&list->rows, context->profile, number, context->only);
	if (!r && source->kind == PROFILE_WAKERS && !context->settings->addresses)
		r = wake_leaves_pass(&list->rows, context->profile, list->functions, &list->passed);
	return r < 0 ? r : function_totals_init(&list->totals, &list->rows, list->functions);
}

/* --- order: by one figure, then by the others, then by name --- */

static int compare_figures(uint64_t left, uint64_t right)
{
	return (left < right) - (left > right);
}

static int compare_self(const struct functions *functions, const struct function_total *l,
			const struct function_total *r)
{
	(void)functions;
	return compare_figures(l->self.weight, r->self.weight);
}

static int compare_total(const struct functions *functions, const struct function_total *l,
			 const struct function_total *r)
{
	(void)functions;
	return compare_figures(l->total.weight, r->total.weight);
}

static int compare_count(const struct functions *functions, const struct function_total *l,
			 const struct function_total *r)
{
	(void)functions;
	return compare_figures(l->total.samples, r->total.samples);
}

static int compare_name(const struct functions *functions, const struct function_total *l,
			const struct function_total *r)
{
	return functions_compare(functions, l->function, r->function);
}

/* Code without a symbol has its module as its name. */
static const char *module_of(const struct functions *functions, uint32_t function)
{
	const char *module = functions_module(functions, function);

	return module[0] ? module : functions_name(functions, function);
}

static int compare_module(const struct functions *functions, const struct function_total *l,
			  const struct function_total *r)
{
	return strcmp(module_of(functions, l->function), module_of(functions, r->function));
}

typedef int compare_functions(const struct functions *functions, const struct function_total *l,
			      const struct function_total *r);

static compare_functions *const comparisons[VIEW_ORDERS] = {
	[VIEW_BY_SELF] = compare_self, [VIEW_BY_TOTAL] = compare_total, [VIEW_BY_COUNT] = compare_count,
	[VIEW_BY_NAME] = compare_name, [VIEW_BY_MODULE] = compare_module,
};

static int compare_rows(const void *left, const void *right, void *context)
{
	const struct function_list *list = context;
	compare_functions *const steps[] = {comparisons[list->context->settings->function_order], compare_self,
					    compare_total, compare_count, compare_name};
	int order = 0;

	for (size_t i = 0; !order && i < sizeof(steps) / sizeof(steps[0]); i++)
		order = steps[i](list->functions, left, right);
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
	qsort_r(list.totals.items, list.totals.count, sizeof(*list.totals.items), compare_rows, &list);
	if (list.totals.count)
		print_head(&list);
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
