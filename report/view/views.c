/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The table of all views, and how one is printed: for each source, for each group of --by, or for all together. */
#include <errno.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/log.h"
#include "report/profile/figures.h"
#include "report/profile/profile_account.h"
#include "report/view/groups.h"
#include "report/view/page.h"
#include "report/view/place.h"
#include "report/view/task_names.h"
#include "report/view/view.h"

/* --- by group --- */

/*
 * --by: prints a view once for each group of a source, heaviest first, each with a heading of its
 * own. Percentages are of the whole source. Groups below the least share are counted, not shown.
 */

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

	return COMPARE(r->tally.weight, l->tally.weight) ?: COMPARE(l->group, r->group);
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

	(void)profile_sources(context->profile, &sources);
	*by = (struct by_group){.context = context, .source = &sources[number]};
	return groups_init(&by->groups, context->profile, context->settings->by) ?:
	       task_names_init(&by->names, context->profile) ?:
	       comm_list_init(&by->comms, &by->names) ?:
	       rows_init(&by->rows, context->profile, number, NULL) ?:
	       add_up(by);
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

static void write_missing(const struct by_group *by, FILE *out)
{
	if (profile_cgroups_known(by->context->profile) == PROFILE_CGROUPS_ELSEWHERE && by->groups.field->is_cgroup)
		(void)fprintf(out, "# --by %s: the host has control groups of version 1; of version 2, which is "
				   "recorded, it uses only the root, so these are not divided\n",
			      by->groups.field->name);
	else
		(void)fprintf(out, "# --by %s: the trace does not have it for %s, so these are not divided\n",
		      by->groups.field->name, page_kind_name(by->source->kind));
}

/* If no event of the source has the field, says so and returns 1; else 0, -ENOMEM. */
static int by_group_check(const struct view_context *context, uint32_t number, FILE *out)
{
	_cleanup_(by_group_deinit) struct by_group by;
	int r = by_group_init(&by, context, number);

	if (r < 0 || !is_missing(&by))
		return r;
	write_missing(&by, out);
	return 1;
}

static int by_group_print(const struct view_context *context, const struct view *view, uint32_t number,
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
			write_missing(&by, context->out);
		return view->print(context, number, source);
	}
	for (; !r && shown < by.count && is_shown(&by, &by.sums[shown]); shown++) {
		const struct group_sum *sum = &by.sums[shown];
		const struct group_choice choice = {&by.groups, sum->group, by.ordered + sum->first, sum->count};

		group.only = &choice;
		r = print_heading(&by, sum) ?: view->print(&group, number, source);
	}
	if (r < 0)
		return r;
	print_hidden(&by, shown);
	return 0;
}

/* --- views --- */

#define VIEW_POINTER(name) &name##_view,
const struct view *const views[VIEW_COUNT] = {VIEWS(VIEW_POINTER) VIEWS_BY_NAME(VIEW_POINTER)};

static const struct view *view_of(const struct view *wanted, const struct profile_source *source)
{
	if (!wanted)
		return source->kind == PROFILE_TASKS ? &tasks_view : &tree_view;
	return wanted->kinds & 1U << source->kind ? wanted : NULL;
}

/*
 * If wakers were recorded together with waits, machine-readable lines show the waits only;
 * --source=wakers selects the wakers.
 */
static bool is_beside_waits(const struct profile_source *source,
			    const struct profile_source *sources, size_t count)
{
	bool waits = false;

	for (size_t i = 0; i < count; i++)
		waits |= sources[i].kind == PROFILE_OFFCPU && sources[i].samples;
	return waits && source->kind == PROFILE_WAKERS;
}

/* Machine-readable lines do not say which source they are from, so there must be only one. */
static int check_one_source(const struct view *view, const struct profile_source *sources, size_t count)
{
	const struct profile_source *first = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct profile_source *source = &sources[i];

		if (!source->samples || !view_of(view, source) || is_beside_waits(source, sources, count))
			continue;
		if (first)
			return log_error(EINVAL, "--%s shows one source, but there are several "
						 "('%s %s', '%s %s'); choose one with --%s",
					 view_name(view), page_kind_name(first->kind), first->name,
					 page_kind_name(source->kind), source->name,
					 first->kind == source->kind ? "probe" : "source");
		first = source;
	}
	return 0;
}

static int print_source(const struct view_context *context, const struct view *view, uint32_t number,
			const struct profile_source *source)
{
	int r;

	if (!context->settings->by || !view->by)
		return view->print(context, number, source);
	if (!view->bare)
		return by_group_print(context, view, number, source);
	r = by_group_check(context, number, stderr);
	return r < 0 ? r : view->print(context, number, source);
}

static int print_sources(const struct view_context *context, const struct view *view,
			 const struct profile_source *sources, size_t count)
{
	bool any = false, bare = view && view->bare;

	for (size_t i = 0; i < count; i++) {
		const struct view *chosen = view_of(view, &sources[i]);
		int r;

		if (!chosen || sources[i].left_out || (bare && is_beside_waits(&sources[i], sources, count)))
			continue;
		if (any && !bare)
			(void)fputc('\n', context->out);
		any = true;
		if (!bare)
			page_heading(context, (uint32_t)i, &sources[i]);
		r = print_source(context, chosen, (uint32_t)i, &sources[i]);
		if (!r)
			r = probe_totals_write(context, (uint32_t)i, bare ? stderr : context->out);
		if (r < 0)
			return r;
	}
	if (!any && !bare)
		page_nothing(context, view ? view_name(view) : "tree");
	return 0;
}

/* Prints the headings of all sources, then all sources together. */
static int print_merged(const struct view_context *context, const struct view *view,
			const struct profile_source *sources, size_t count)
{
	bool any = false;
	int r;

	for (size_t i = 0; i < count; i++) {
		if (!view_of(view, &sources[i]) || sources[i].left_out)
			continue;
		any = true;
		if (!view->bare)
			page_heading(context, (uint32_t)i, &sources[i]);
	}
	if (!any && !view->bare)
		page_nothing(context, view_name(view));
	r = any || view->exports ? view->print_all(context) : 0; /* an export must be valid even if empty */
	for (size_t i = 0; i < count && !r; i++)
		if (view_of(view, &sources[i]) && !sources[i].left_out)
			r = probe_totals_write(context, (uint32_t)i, view->bare ? stderr : context->out);
	return r;
}

/* What the report shows, which decides which notes are about it. */
static struct page_shown shown_by(const struct view_context *context, const struct view *view)
{
	const struct profile_source *sources;
	size_t count = profile_sources(context->profile, &sources);
	struct page_shown shown = {0};

	for (size_t i = 0; i < count; i++) {
		const struct view *chosen = view_of(view, &sources[i]);
		bool one = chosen && chosen->bare && !chosen->print_all;

		if (!chosen || sources[i].left_out || (one && is_beside_waits(&sources[i], sources, count)))
			continue;
		shown.kinds |= 1U << sources[i].kind | chosen->beside;
		shown.about |= sources[i].kind == PROFILE_CPU ? ABOUT_SAMPLING : 0;
		shown.about |= !chosen->stackless && !context->settings->user_only ? ABOUT_KERNEL_STACKS : 0;
		if (!chosen->stackless && !context->settings->kernel_only && sources[i].user_stacks)
			shown.about |= ABOUT_USER_STACKS;
	}
	return shown;
}

/* Whether the report shows waits: only then does it matter which ones are left out. */
static bool shows_waits(const struct view *view, const struct profile_source *sources, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if ((sources[i].kind == PROFILE_OFFCPU || sources[i].kind == PROFILE_WAKERS) &&
		    !sources[i].left_out && view_of(view, &sources[i]))
			return true;
	return false;
}

/* --at uses walks only if there are no waits, which are more precise. */
static const struct view *view_for(const struct view *wanted, const struct profile_source *sources, size_t count)
{
	bool waited = false, walked = false;

	for (size_t i = 0; i < count; i++) {
		waited |= sources[i].kind == PROFILE_OFFCPU && !sources[i].left_out;
		walked |= sources[i].kind == PROFILE_TASKS && !sources[i].left_out;
	}
	return wanted == &at_view && walked && !waited ? &tasks_at_view : wanted;
}

int views_print(const struct view_context *context, const struct view *asked)
{
	const struct profile_source *sources;
	size_t count = profile_sources(context->profile, &sources);
	const struct view *view = view_for(asked, sources, count);
	bool bare = view && view->bare;
	int r = bare && !view->print_all ? check_one_source(view, sources, count) : 0;

	if (view && view->whole)
		return view->print_all(context);
	if (!r && !view) {
		r = digest_view.print_all(context);
		(void)fputc('\n', context->out);
	}
	if (!r && view && view->print_all)
		r = print_merged(context, view, sources, count);
	else if (!r)
		r = print_sources(context, view, sources, count);
	if (r < 0)
		return r;
	if (!bare && shows_waits(view, sources, count))
		r = throughout_comment(context);
	if (r < 0)
		return r;
	page_notes(context, shown_by(context, view), bare ? stderr : context->out);
	return 0;
}
