/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "report/profile/seam/figures.h"
#include "report/view/look/function_totals.h"
#include "report/view/text/figure_columns.h"
#include "report/view/text/page.h"
#include "report/view/text/wrap.h"
#include "report/view/tree/wake_leaves.h"

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
			     &list->functions);
	if (!r)
		r = rows_init(&list->rows, context->profile, number, context->only);
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
