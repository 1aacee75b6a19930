/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/plural.h"
#include "common/printable.h"
#include "common/time_units.h"
#include "report/profile/seam/figures.h"
#include "report/profile/seam/profile_account.h"
#include "report/profile/seam/profile_origin.h"
#include "report/view/diff/diff_parts.h"
#include "report/view/look/rows.h"
#include "report/view/text/page.h"
#include "report/view/text/paint.h"

/* --diff: what takes more or less time than in the traces of --base, for each source. */

enum {
	/* Standard deviations that are still chance: of hundreds of functions, hardly one exceeds 3. */
	CHANCE_SAMPLED = 3,
	CHANCE_WAITED = 2, /* waits are measured, not sampled: only their number varies */
};

/* --- a pair of sources --- */

static void diff_deinit(struct diff *diff)
{
	for (size_t i = 0; i < DIFF_SIDES; i++) {
		functions_destroy(diff->sides[i].functions);
		task_names_deinit(&diff->sides[i].tasks);
		array_free(&diff->sides[i].name_of);
	}
	diff_names_deinit(&diff->names);
}

static int init_side(struct diff_side *side, const struct view_context *context, struct profile *profile,
		     uint32_t number)
{
	const struct profile_source *sources;
	int r = functions_create(profile, FUNCTIONS_BY_NAME, page_no_frames(context->settings), &side->functions);

	(void)profile_sources(profile, &sources);
	side->context = *context;
	side->context.profile = profile;
	side->number = number;
	side->source = &sources[number];
	return r < 0 ? r : task_names_init(&side->tasks, profile);
}

static bool is_waited(const struct profile_source *source)
{
	return source->kind == PROFILE_OFFCPU || source->kind == PROFILE_WAKERS;
}

/*
 * Weights of the same unit are compared as they are. Otherwise a sample represents the time between
 * two samples: cycle counters and clocks are both set up for a number of samples per second.
 */
static bool choose_weights(struct diff *diff)
{
	struct diff_side *before = &diff->sides[DIFF_BEFORE], *after = &diff->sides[DIFF_AFTER];
	const char *unit = after->source->weight_unit;
	bool same = !strcmp(before->source->weight_unit, unit);
	bool counted = !strcmp(unit, "samples"), rates = before->source->frequency && after->source->frequency;

	if (same && !(counted && rates && before->source->frequency != after->source->frequency)) {
		diff->scale.counted = !strcmp(unit, "ns") ? NULL : counted ? page_unit(after->source) : unit;
		return true;
	}
	for (size_t i = 0; i < DIFF_SIDES && rates; i++)
		diff->sides[i].period = SECOND / diff->sides[i].source->frequency;
	return rates;
}

static int diff_init(struct diff *diff, const struct view_context *context, const uint32_t numbers[DIFF_SIDES])
{
	struct profile *const profiles[DIFF_SIDES] = {context->base, context->profile};
	int r;

	*diff = (struct diff){.context = context};
	r = diff_names_init(&diff->names);
	for (size_t i = 0; i < DIFF_SIDES && !r; i++) {
		r = init_side(&diff->sides[i], context, profiles[i], numbers[i]);
		if (!r)
			diff->scale.recorded[i] = diff->sides[i].source->recorded;
	}
	if (r < 0)
		return r;
	diff->kernel_only = diff->sides[0].source->user_stacks != diff->sides[1].source->user_stacks;
	diff->scale.chance = is_waited(diff->sides[DIFF_AFTER].source) ? CHANCE_WAITED : CHANCE_SAMPLED;
	return 0;
}

struct diff_pair diff_weigh(const struct diff *diff, size_t side, uint64_t samples, uint64_t weight, bool late)
{
	uint64_t period = diff->sides[side].period;
	struct diff_pair pair = {0};

	pair.sides[side].samples = samples;
	pair.sides[side].halves[late] = period ? samples * period : weight;
	return pair;
}

int diff_sum(const struct diff *diff, struct diff_pair *ret_sum)
{
	*ret_sum = (struct diff_pair){0};
	for (size_t i = 0; i < DIFF_SIDES; i++) {
		_cleanup_(rows_deinit) struct rows rows = {0};
		int r = rows_init(&rows, diff->sides[i].context.profile, diff->sides[i].number, NULL);

		if (r < 0)
			return r;
		for (size_t k = 0; k < rows.count; k++) {
			const struct diff_pair pair = diff_weigh(diff, i, rows.items[k].samples, rows.items[k].weight,
								 rows.items[k].flags & CHAIN_LATE);

			diff_pair_add(ret_sum, &pair);
		}
	}
	return 0;
}

/* --- text --- */

static void write_left(const struct diff_table *table, const struct diff_rows *rows, size_t beyond,
		       const struct diff *diff)
{
	const struct view_context *context = diff->context;

	if (beyond)
		page_comment(context, context->out, "%s that changed, but are not among the first: %zu", table->within,
			     beyond);
	if (rows->small)
		page_comment(context, context->out, "%s that changed by less than %s%% of all: %zu", table->within,
			     figure_percent(context->settings->min_share, 1000000).text, rows->small);
	if (rows->within)
		page_comment(context, context->out, "%s that did not change by more than their noise: %zu",
			     table->within, rows->within);
}

int diff_table_print(const struct diff_table *table, const struct diff *diff, struct diff_rows *rows)
{
	const struct view_settings *settings = diff->context->settings;
	FILE *out = diff->context->out;
	size_t shown;
	int r = 0;

	if (!rows->items.count)
		return 0;
	diff_rows_judge(rows, &diff->scale, settings->min_share);
	shown = rows->items.count;
	if (settings->max_groups && settings->max_groups < shown)
		shown = settings->max_groups;
	(void)fprintf(out, "\n# %s, ", table->title);
	diff_scale_write_unit(&diff->scale, out);
	(void)fprintf(out, " per second%s\n", shown ? "" : ": no change");
	if (shown)
		diff_rows_write_head(table->what, out);
	for (size_t i = 0; i < shown && !r; i++)
		r = table->write(table, diff, &rows->items.items[i]);
	write_left(table, rows, rows->items.count - shown, diff);
	return r;
}

static void write_whole(const struct diff *diff, const struct diff_pair *sum)
{
	struct diff_row row = {.pair = *sum, .name = ""};
	FILE *out = diff->context->out;

	diff_row_fill_in(&row, &diff->scale);
	diff_rows_write_head("in all, per second of recording", out);
	diff_row_write(&row, &diff->scale, out);
	diff_scale_write_unit(&diff->scale, out);
	(void)fputc('\n', out);
}

static bool was_coarser(const struct diff *diff, size_t side)
{
	return profile_coarser(diff->sides[side].context.profile);
}

static void write_headings(const struct diff *diff)
{
	static const char *const names[DIFF_SIDES] = {"before", "after"};
	const struct view_context *context = diff->context;

	for (size_t i = 0; i < DIFF_SIDES; i++) {
		(void)fputs("# ", context->out);
		paint_heading(context->out, context->settings->color, names[i]);
		(void)fputc('\n', context->out);
		page_heading(&diff->sides[i].context, diff->sides[i].number, diff->sides[i].source);
	}
	if (was_coarser(diff, DIFF_BEFORE) || was_coarser(diff, DIFF_AFTER))
		page_comment(context, context->out, "at least one of them recorded less for a time, to cost less: what "
						    "differs may be that (see its notes, or --info)");
	if (diff->kernel_only)
		page_comment(context, context->out, "only one of them has user stacks: kernel frames are compared");
	if (diff->sides[0].period)
		page_comment(context, context->out, "they were sampled in different ways: a sample counts for the time "
						    "between two of them");
}

/* Why two sources cannot be compared; NULL if they can. */
static const char *refuse(struct diff *diff)
{
	if (!diff->scale.recorded[DIFF_BEFORE] || !diff->scale.recorded[DIFF_AFTER])
		return "one of them was not recorded in the time that is asked for: nothing to compare";
	return choose_weights(diff) ? NULL : "their units differ, and their rates are not known: nothing to compare";
}

static int print_parts(struct diff *diff)
{
	static int (*const waited[])(struct diff *) = {diff_chains, diff_waits, diff_functions, NULL};
	static int (*const sampled[])(struct diff *) = {diff_functions, NULL};
	int (*const *part)(struct diff *) = diff->sides[DIFF_AFTER].source->kind == PROFILE_OFFCPU ? waited : sampled;
	struct diff_pair sum;
	int r = diff_sum(diff, &sum);

	if (r < 0)
		return r;
	diff_scale_choose(&diff->scale, &sum);
	write_whole(diff, &sum);
	for (; *part && !r; part++)
		r = (*part)(diff);
	return r;
}

static int print_pair(const struct view_context *context, const uint32_t numbers[DIFF_SIDES])
{
	_cleanup_(diff_deinit) struct diff diff;
	const char *refusal;
	int r = diff_init(&diff, context, numbers);

	if (r < 0)
		return r;
	refusal = refuse(&diff);
	write_headings(&diff);
	if (refusal)
		page_comment(context, context->out, "%s", refusal);
	else
		r = print_parts(&diff);
	(void)fputc('\n', context->out);
	return r;
}

/* --- all sources --- */

static bool is_comparable(const struct profile_source *source)
{
	return diff_view.kinds >> source->kind & 1 && !source->left_out;
}

/* CPU samples are the same source whatever event took them. */
static bool is_same(const struct profile_source *left, const struct profile_source *right)
{
	return left->kind == right->kind && (left->kind == PROFILE_CPU || !strcmp(left->name, right->name));
}

/* The number of the same source on the other side; `count` if there is none. */
static uint32_t partner(const struct profile_source *source, const struct profile_source *others, size_t count)
{
	uint32_t number = 0;

	while (number < count && !(is_comparable(&others[number]) && is_same(source, &others[number])))
		number++;
	return number;
}

/* "# only before, not compared: tracepoint sched:sched_switch" */
static void write_alone(const struct view_context *context, struct profile *profile, struct profile *other,
			const char *when)
{
	const struct profile_source *sources, *others;
	size_t count = profile_sources(profile, &sources), other_count = profile_sources(other, &others);
	char name[256];

	for (size_t i = 0; i < count; i++) {
		if (!is_comparable(&sources[i]) || partner(&sources[i], others, other_count) < other_count)
			continue;
		(void)printable_escape(name, sizeof(name), sources[i].name, strlen(sources[i].name));
		page_comment(context, context->out, "only %s, not compared: %s %s", when,
			     page_kind_name(sources[i].kind), name);
	}
}

/* What the figures are based on. */
static struct page_shown shown_of(const struct profile *profile)
{
	const struct profile_source *sources;
	size_t count = profile_sources(profile, &sources);
	struct page_shown shown = {.about = ABOUT_STACKS};

	for (size_t i = 0; i < count; i++) {
		if (!is_comparable(&sources[i]))
			continue;
		shown.kinds |= 1U << sources[i].kind;
		shown.about |= sources[i].kind == PROFILE_CPU ? ABOUT_SAMPLING : 0;
	}
	return shown;
}

static void write_notes(const struct view_context *context)
{
	struct view_context base = *context;

	base.profile = context->base;
	(void)fputs("# notes on the trace before:\n", context->out);
	page_notes(&base, shown_of(context->base), context->out);
	(void)fputs("# notes on the trace after:\n", context->out);
	page_notes(context, shown_of(context->profile), context->out);
}

static int show_diff(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	const struct profile_source *before, *after;
	size_t count = profile_sources(context->profile, &after);
	size_t before_count = profile_sources(context->base, &before);
	bool any = false;
	int r = 0;

	(void)number;
	(void)source;
	page_comment(context, context->out,
		     "change: after, less before, per second of recording (of all CPUs together; of several traces, on "
		     "average). noise: what the two halves of one trace differ by, or chance makes of so few, if that "
		     "is more. What changed by no more than its noise is counted, not shown.");
	for (uint32_t i = 0; i < count && !r; i++) {
		const uint32_t numbers[DIFF_SIDES] = {partner(&after[i], before, before_count), i};

		if (!is_comparable(&after[i]) || numbers[DIFF_BEFORE] == before_count)
			continue;
		any = true;
		r = print_pair(context, numbers);
	}
	if (r < 0)
		return r;
	if (!any)
		(void)fputs("# nothing to compare: the traces have no source in common\n", context->out);
	write_alone(context, context->base, context->profile, "before");
	write_alone(context, context->profile, context->base, "after");
	write_notes(context);
	return 0;
}

const struct view diff_view = {
	VIEW_OPTION("diff", .help = "what takes more or less time than in --base"),
	.print = show_diff, .kinds = VIEW_EVENTS & ~VIEW_WOKEN, .needs = PROFILE_EVERYONE | PROFILE_EACH_HALF, .whole = true,
	.may_compare = true, .must_compare = true,
};
