/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/by_group.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "report/profile/seam/figures.h"
#include "report/view/look/rows.h"
#include "report/view/text/comm_list.h"
#include "report/view/text/figure_columns.h"
#include "report/view/text/page.h"
#include "report/view/text/paint.h"
#include "report/view/text/wrap.h"

enum { COMMS_SHOWN = 4, HEADING_INDENT = 4 };

struct group_sum {
	struct tally tally;
	uint32_t group;
	size_t first, count; /* of the rows */
};

struct by_group {
	const struct view_context *context;
	const struct profile_source *source;
	struct groups groups;
	struct rows rows;
	struct row *ordered; /* the rows, sorted by group */
	struct task_names names;
	struct comm_list comms;
	struct group_sum *sums;
	size_t count; /* number of groups with rows */
};

static void by_group_deinit(struct by_group *by)
{
	free(by->ordered);
	free(by->sums);
	comm_list_deinit(&by->comms);
	task_names_deinit(&by->names);
	rows_deinit(&by->rows);
	groups_deinit(&by->groups);
}

static int compare_sums(const void *left, const void *right)
{
	const struct group_sum *l = left, *r = right;

	if (l->tally.weight != r->tally.weight)
		return l->tally.weight > r->tally.weight ? -1 : 1;
	return (l->group > r->group) - (l->group < r->group);
}

static struct group_sum *sum_of(const struct by_group *by, const struct row *row)
{
	return &by->sums[groups_find(&by->groups, row->task, row->cpu)];
}

/* The rows of a group keep their order. */
static void order_rows(struct by_group *by)
{
	const struct row *end = by->rows.items + by->rows.count;
	size_t first = 0;

	for (const struct row *row = by->rows.items; row < end; row++) {
		tally_add_row(&sum_of(by, row)->tally, row);
		sum_of(by, row)->count++;
	}
	for (size_t i = 0; i < by->groups.count; i++) {
		by->sums[i].first = first;
		first += by->sums[i].count;
		by->sums[i].count = 0;
	}
	for (const struct row *row = by->rows.items; row < end; row++) {
		struct group_sum *sum = sum_of(by, row);

		by->ordered[sum->first + sum->count++] = *row;
	}
}

static int add_up(struct by_group *by)
{
	by->sums = calloc(by->groups.count + 1, sizeof(*by->sums));
	by->ordered = calloc(by->rows.count + 1, sizeof(*by->ordered));
	if (!by->sums || !by->ordered)
		return -ENOMEM;
	order_rows(by);
	for (uint32_t i = 0; i < by->groups.count; i++) {
		by->sums[i].group = i;
		if (by->sums[i].tally.samples)
			by->sums[by->count++] = by->sums[i];
	}
	qsort(by->sums, by->count, sizeof(*by->sums), compare_sums);
	return 0;
}

static int by_group_init(struct by_group *by, const struct view_context *context, uint32_t number)
{
	const struct profile_source *sources;
	int r;

	(void)profile_sources(context->profile, &sources);
	*by = (struct by_group){.context = context, .source = &sources[number]};
	r = groups_init(&by->groups, context->profile, context->settings->by);
	if (!r)
		r = task_names_init(&by->names, context->profile);
	if (!r)
		r = comm_list_init(&by->comms, &by->names);
	if (!r)
		r = rows_init(&by->rows, context->profile, number, NULL);
	return r < 0 ? r : add_up(by);
}

/* "=== 62.50%  pid 12  (123.4ms)  Comms: dd, sh". 0, -ENOMEM. */
static int print_heading(struct by_group *by, const struct group_sum *sum)
{
	bool color = by->context->settings->color;
	struct wrap line;
	FILE *out;

	(void)fputc('\n', by->context->out);
	out = wrap_begin(&line, by->context->out, HEADING_INDENT, by->context->settings->width);
	if (!out)
		return -ENOMEM;
	paint_heading(out, color, "===");
	(void)fputc(' ', out);
	paint_percent(out, color, sum->tally.weight, page_total(by->source));
	(void)fputs("  ", out);
	groups_write(&by->groups, sum->group, out);
	figure_write_time(by->source, &sum->tally, out);
	if (!by->groups.field->is_comm) {
		(void)fputs("  Comms: ", out);
		for (size_t i = 0; i < sum->count; i++)
			comm_list_add(&by->comms, by->ordered[sum->first + i].task,
				      by->ordered[sum->first + i].weight);
		comm_list_write(&by->comms, COMMS_SHOWN, out);
	}
	return wrap_end(&line);
}

static bool is_shown(const struct by_group *by, const struct group_sum *sum)
{
	return figure_reaches(sum->tally.weight, page_total(by->source), by->context->settings->min_share);
}

static void print_hidden(const struct by_group *by, size_t shown)
{
	uint64_t weight = 0;

	for (size_t i = shown; i < by->count; i++)
		weight += by->sums[i].tally.weight;
	if (shown < by->count)
		(void)fprintf(by->context->out, "# %s not shown: %zu, %s%% in all\n", by->groups.field->plural,
			      by->count - shown, figure_percent(weight, page_total(by->source)).text);
}

/* Only CPUs and control groups may be unknown. */
static bool is_missing(const struct by_group *by)
{
	if (by->groups.field->is_cgroup)
		return profile_cgroups_known(by->context->profile) != PROFILE_CGROUPS_SOME;
	return by->count == 1 && groups_is_unknown(&by->groups, by->sums[0].group);
}

static void say_missing(const struct by_group *by, FILE *out)
{
	if (profile_cgroups_known(by->context->profile) == PROFILE_CGROUPS_ELSEWHERE && by->groups.field->is_cgroup)
		(void)fprintf(out, "# --by %s: the host has control groups of version 1; of version 2, which is "
				   "recorded, it uses only the root, so these are not divided\n",
			      by->groups.field->name);
	else
		(void)fprintf(out, "# --by %s: the trace does not have it for %s, so these are not divided\n",
		      by->groups.field->name, page_kind_name(by->source->kind));
}

int by_group_check(const struct view_context *context, uint32_t number, FILE *out)
{
	_cleanup_(by_group_deinit) struct by_group by;
	int r = by_group_init(&by, context, number);

	if (r < 0 || !is_missing(&by))
		return r;
	say_missing(&by, out);
	return 1;
}

int by_group_print(const struct view_context *context, const struct view *view, uint32_t number,
		   const struct profile_source *source)
{
	_cleanup_(by_group_deinit) struct by_group by;
	struct view_context group = *context;
	size_t shown = 0;
	int r = by_group_init(&by, context, number);

	if (r < 0)
		return r;
	if (!by.count || is_missing(&by)) {
		if (by.count)
			say_missing(&by, context->out);
		return view->print(context, number, source);
	}
	for (; !r && shown < by.count && is_shown(&by, &by.sums[shown]); shown++) {
		const struct group_sum *sum = &by.sums[shown];
		const struct group_choice choice = {&by.groups, sum->group, by.ordered + sum->first, sum->count};

		group.only = &choice;
		r = print_heading(&by, sum);
		if (!r)
			r = view->print(&group, number, source);
	}
	if (r < 0)
		return r;
	print_hidden(&by, shown);
	return 0;
}
