/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/wait/diff.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/printable.h"
#include "common/time_units.h"
#include "report/profile/figures.h"
#include "report/profile/profile.h"
#include "report/profile/profile_account.h"
#include "report/view/groups.h"
#include "report/view/page.h"

void diff_pair_add(struct diff_pair *sum, const struct diff_pair *pair)
{
	for (size_t i = 0; i < DIFF_SIDES; i++) {
		sum->sides[i].halves[0] += pair->sides[i].halves[0];
		sum->sides[i].halves[1] += pair->sides[i].halves[1];
		sum->sides[i].samples += pair->sides[i].samples;
	}
}

/* --- names --- */

static int diff_names_init(struct diff_names *names)
{
	*names = (struct diff_names){0};
	return hash_map_init(&names->known);
}

static void diff_names_deinit(struct diff_names *names)
{
	for (size_t i = 0; i < names->texts.count; i++)
		free(names->texts.items[i]);
	array_free(&names->texts);
	hash_map_deinit(&names->known);
}

int diff_names_add(struct diff_names *names, const char *text, uint32_t *ret_name)
{
	uint64_t *number;
	char *copy;
	int r = hash_map_add(&names->known, text, strlen(text), names->texts.count, &number);

	if (r < 0)
		return r;
	*ret_name = (uint32_t)*number;
	if (!r)
		return 0;
	copy = strdup(text);
	if (!copy || array_push(&names->texts, copy) < 0) {
		free(copy);
		return -ENOMEM;
	}
	return 0;
}

/* --- paths --- */

int diff_tree_init(struct diff_tree *tree)
{
	*tree = (struct diff_tree){0};
	return hash_map_init(&tree->known) < 0 ? -ENOMEM : array_push(&tree->nodes, (struct diff_node){0});
}

void diff_tree_deinit(struct diff_tree *tree)
{
	hash_map_deinit(&tree->known);
	array_free(&tree->nodes);
}

int diff_tree_enter(struct diff_tree *tree, uint32_t parent, uint32_t name, uint32_t *ret_node)
{
	const uint32_t key[2] = {parent, name};
	uint64_t *number;
	int r = hash_map_add(&tree->known, key, sizeof(key), tree->nodes.count, &number);

	if (r < 0)
		return r;
	*ret_node = (uint32_t)*number;
	return r ? array_push(&tree->nodes, (struct diff_node){.parent = parent, .name = name}) : 0;
}

/* --- totals --- */

struct place { /* of a node, while the tree is traversed */
	struct diff_pair below; /* the node and all below it */
	uint32_t first_child, next; /* 0: none */
};

/* Traverses the tree; `on_way` says which names are on the path from the root. */
static void add_totals(const struct diff_tree *tree, const struct place *places, uint32_t *on_way,
		       struct diff_pair *totals)
{
	uint32_t node = places[0].first_child;

	while (node) {
		uint32_t name = tree->nodes.items[node].name;

		if (!on_way[name]++)
			diff_pair_add(&totals[name], &places[node].below);
		if (places[node].first_child) {
			node = places[node].first_child;
			continue;
		}
		while (node && !places[node].next) {
			on_way[tree->nodes.items[node].name]--;
			node = tree->nodes.items[node].parent;
		}
		if (!node)
			return;
		on_way[tree->nodes.items[node].name]--;
		node = places[node].next;
	}
}

int diff_tree_totals(const struct diff_tree *tree, size_t names, struct diff_pair *totals)
{
	size_t count = tree->nodes.count;
	_cleanup_free_ struct place *places = calloc(count, sizeof(*places));
	_cleanup_free_ uint32_t *on_way = calloc(names + 1, sizeof(*on_way));

	if (!places || !on_way)
		return -ENOMEM;
	for (size_t i = count; i-- > 1;) {
		struct place *parent = &places[tree->nodes.items[i].parent];

		diff_pair_add(&places[i].below, &tree->nodes.items[i].self);
		diff_pair_add(&parent->below, &places[i].below);
		places[i].next = parent->first_child;
		parent->first_child = (uint32_t)i;
	}
	add_totals(tree, places, on_way, totals);
	return 0;
}

/* --- diff rows --- */

static const uint64_t RATE_MAX = UINT64_C(1) << 60;
enum { COUNTED_PARTS = 1000, COLUMN = 11 };

/* Rates of time are in ns per second, rates of counts in thousandths per second. */
static const struct diff_unit time_units[] = {
	{MICROSECOND, 10 * MILLISECOND, "us"},
	{MILLISECOND, 10000 * SECOND, "ms"},
	{SECOND, UINT64_MAX, "s"},
};
static const struct diff_unit count_units[] = {
	{COUNTED_PARTS, UINT64_C(10000000) * COUNTED_PARTS, ""},
	{UINT64_C(1000000) * COUNTED_PARTS, UINT64_MAX, "million "},
};

/* --- rates --- */

static uint64_t rate_of(const struct diff_scale *scale, uint64_t weight, uint64_t duration)
{
	unsigned __int128 rate = (unsigned __int128)weight * SECOND * (scale->counted ? COUNTED_PARTS : 1) / duration;

	return rate < RATE_MAX ? (uint64_t)rate : RATE_MAX;
}

static uint64_t difference(uint64_t left, uint64_t right)
{
	return left > right ? left - right : right - left;
}

static uint64_t larger(uint64_t left, uint64_t right)
{
	return left > right ? left : right;
}

static uint64_t side_rate(const struct diff_scale *scale, const struct diff_pair *pair, size_t side)
{
	const struct diff_amount *amount = &pair->sides[side];

	return rate_of(scale, amount->halves[0] + amount->halves[1], scale->recorded[side]);
}

/* The difference between the halves of one trace. */
static uint64_t halves_rate(const struct diff_scale *scale, const struct diff_pair *pair, size_t side)
{
	const struct diff_amount *amount = &pair->sides[side];
	uint64_t half = larger(scale->recorded[side] / 2, 1);

	return rate_of(scale, difference(amount->halves[0], amount->halves[1]), half);
}

static uint64_t square_root(unsigned __int128 square)
{
	uint64_t root = 0;

	for (unsigned int bit = 64; bit-- > 0;) {
		uint64_t more = root | UINT64_C(1) << bit;

		if ((unsigned __int128)more * more <= square)
			root = more;
	}
	return root;
}

/* By chance, n samples may as well be n + sqrt(n), so each side varies by its rate / sqrt(n). */
static uint64_t chance_rate(const struct diff_scale *scale, const struct diff_pair *pair)
{
	unsigned __int128 variance = 0;

	for (size_t i = 0; i < DIFF_SIDES; i++) {
		uint64_t rate = side_rate(scale, pair, i);

		variance += (unsigned __int128)rate * rate / larger(pair->sides[i].samples, 1);
	}
	return scale->chance * square_root(variance);
}

static void diff_row_fill_in(struct diff_row *row, const struct diff_scale *scale)
{
	row->before = side_rate(scale, &row->pair, DIFF_BEFORE);
	row->after = side_rate(scale, &row->pair, DIFF_AFTER);
	row->noise = larger(halves_rate(scale, &row->pair, DIFF_BEFORE), halves_rate(scale, &row->pair, DIFF_AFTER));
	row->noise = larger(row->noise, chance_rate(scale, &row->pair));
}

static void diff_scale_choose(struct diff_scale *scale, const struct diff_pair *all)
{
	scale->whole = larger(side_rate(scale, all, DIFF_BEFORE), side_rate(scale, all, DIFF_AFTER));
	scale->unit = scale->counted ? count_units : time_units;
	while (scale->whole > scale->unit->most)
		scale->unit++;
}

static void diff_scale_write_unit(const struct diff_scale *scale, FILE *out)
{
	(void)fprintf(out, "%s%s", scale->unit->name, scale->counted ? scale->counted : "");
}

/* --- rows --- */

void diff_rows_deinit(struct diff_rows *rows)
{
	array_free(&rows->items);
}

int diff_rows_add(struct diff_rows *rows, const struct diff_row *row)
{
	const struct diff_amount *before = &row->pair.sides[DIFF_BEFORE], *after = &row->pair.sides[DIFF_AFTER];

	if (!(before->halves[0] | before->halves[1] | after->halves[0] | after->halves[1]))
		return 0;
	return array_push(&rows->items, *row);
}

static uint64_t change(const struct diff_row *row)
{
	return difference(row->after, row->before);
}

static int compare_rows(const void *left, const void *right)
{
	const struct diff_row *l = left, *r = right;
	uint64_t l_above = change(l) - l->noise, r_above = change(r) - r->noise;

	return COMPARE(r_above, l_above) ?: COMPARE(change(r), change(l)) ?: strcmp(l->name, r->name) ?:
	       memcmp(l->key, r->key, sizeof(l->key));
}

static void diff_rows_choose(struct diff_rows *rows, const struct diff_scale *scale, uint64_t min_share)
{
	size_t kept = 0;

	for (size_t i = 0; i < rows->items.count; i++) {
		struct diff_row *row = &rows->items.items[i];

		diff_row_fill_in(row, scale);
		if (change(row) <= row->noise)
			rows->within++;
		else if (!figure_reaches(change(row), scale->whole, min_share))
			rows->small++;
		else
			rows->items.items[kept++] = *row;
	}
	rows->items.count = kept;
	if (kept)
		qsort(rows->items.items, kept, sizeof(*rows->items.items), compare_rows);
}

/* --- text --- */

static void write_rate(const struct diff_scale *scale, uint64_t rate, const char *sign, FILE *out)
{
	uint64_t part = scale->unit->divisor / 100, parts = rate / part + (rate % part >= part - part / 2);
	char text[48];

	(void)snprintf(text, sizeof(text), "%s%" PRIu64 ".%02" PRIu64, sign, parts / 100, parts % 100);
	(void)fprintf(out, " %*s", COLUMN - 1, text);
}

static void diff_rows_write_head(const char *what, FILE *out)
{
	(void)fprintf(out, "#%*s%*s%*s%*s  %s\n", COLUMN - 1, "before", COLUMN, "after", COLUMN, "change", COLUMN,
		      "noise", what);
}

void diff_row_write(const struct diff_row *row, const struct diff_scale *scale, FILE *out)
{
	write_rate(scale, row->before, "", out);
	write_rate(scale, row->after, "", out);
	write_rate(scale, change(row), row->after < row->before ? "-" : "+", out);
	write_rate(scale, row->noise, "", out);
	(void)fputs("  ", out);
}

/* --- diff --- */

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

static int diff_sum(const struct diff *diff, struct diff_pair *ret_sum)
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
	diff_rows_choose(rows, &diff->scale, settings->min_share);
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

static int show_diff(const struct view_context *context)
{
	const struct profile_source *before, *after;
	size_t count = profile_sources(context->profile, &after);
	size_t before_count = profile_sources(context->base, &before);
	bool any = false;
	int r = 0;

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
	.print_all = show_diff, .kinds = VIEW_EVENTS & ~VIEW_WOKEN, .needs = PROFILE_EVERYONE | PROFILE_EACH_HALF, .whole = true,
	.may_compare = true, .must_compare = true,
};
