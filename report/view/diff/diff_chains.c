/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/plural.h"
#include "report/profile/seam/figures.h"
#include "report/view/diff/diff_parts.h"
#include "report/view/text/page.h"
#include "report/view/text/wait_text.h"
#include "report/view/text/wrap.h"
#include "report/view/wait/chains_targets.h"

/*
 * What held up whom, and how that changed. The waits of both profiles are followed to their causes,
 * each half of a recording separately, and the ways are put into one tree, by the texts of their
 * steps. A way is a path from a wait to a cause; together the ways divide the time of the waits.
 */

enum { MOST = 2000, INDENT = 2 }; /* MOST: waits that are followed on each side */

struct ways {
	struct diff *diff;
	struct diff_tree tree;
	struct chains_ground grounds[DIFF_SIDES];
	struct chains_wanted wanted[DIFF_SIDES];
	uint64_t least;
	uint64_t followed[DIFF_SIDES], estimated; /* ns; estimated: of both */
	bool wakers; /* at least one was recorded */
};

static void ways_deinit(struct ways *ways)
{
	diff_tree_deinit(&ways->tree);
	for (size_t i = 0; i < DIFF_SIDES; i++)
		chains_ground_deinit(&ways->grounds[i]);
}

/* Uses the same least length on both sides: else shorter waits would count on the side with fewer long ones. */
static int choose_least(struct ways *ways)
{
	int r = 0;

	for (size_t i = 0; i < DIFF_SIDES && !r; i++) {
		uint64_t least = 0;

		r = chains_least(&ways->grounds[i], &ways->wanted[i], &least);
		ways->least = least > ways->least ? least : ways->least;
	}
	for (size_t i = 0; i < DIFF_SIDES; i++)
		ways->wanted[i].least = ways->least;
	return r;
}

static bool has_wakers(const struct waits *waits)
{
	for (size_t i = 0; i < waits->count; i++)
		if (waits->items[i].waker != PROFILE_NO_TASK)
			return true;
	return false;
}

static int ways_init(struct ways *ways, struct diff *diff)
{
	int r;

	*ways = (struct ways){.diff = diff};
	r = diff_tree_init(&ways->tree);
	for (size_t i = 0; i < DIFF_SIDES && !r; i++) {
		const struct diff_side *side = &diff->sides[i];

		ways->wanted[i] = (struct chains_wanted){.source = side->number, .anybody = true, .most = MOST,
							 .named = diff->context->settings->names_tasks};
		r = chains_ground_init(&ways->grounds[i], &side->context);
		if (!r)
			ways->wakers |= has_wakers(&ways->grounds[i].waits);
	}
	return r < 0 ? r : choose_least(ways);
}

/* --- the tree --- */

static int name_step(const struct ways *ways, const struct chains_found *found, size_t number, uint32_t *ret_name)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int r = -ENOMEM;

	if (!out)
		return -ENOMEM;
	chains_step_write(&found->steps.steps.items[number], &found->ground->names, &found->ground->places,
			  ways->diff->context->settings->per_process, out);
	if (!fclose(out))
		r = diff_names_add(&ways->diff->names, text, ret_name);
	free(text);
	return r;
}

/* Parents have lower numbers. */
static int add_found(struct ways *ways, size_t side, const struct chains_found *found, bool late)
{
	size_t count = found->tree.count;
	_cleanup_free_ uint32_t *nodes = calloc(count + 1, sizeof(*nodes));
	int r = nodes ? 0 : -ENOMEM;

	for (size_t i = 1; i < count && !r; i++) {
		const struct call_tree_node *node = &found->tree.nodes[i];
		struct diff_pair pair = {0};
		uint32_t name;

		pair.sides[side].halves[late] = node->self;
		pair.sides[side].samples = node->self ? found->steps.counts.items[i] : 0;
		r = name_step(ways, found, i, &name);
		if (!r)
			r = diff_tree_enter(&ways->tree, nodes[node->parent], name, &nodes[i]);
		if (!r)
			diff_pair_add(&ways->tree.nodes.items[nodes[i]].self, &pair);
	}
	ways->followed[side] += found->total;
	ways->estimated += found->sampled + found->steps.too_much;
	return r;
}

static int add_half(struct ways *ways, size_t side, bool late)
{
	_cleanup_(chains_found_deinit) struct chains_found found;
	struct chains_wanted wanted = ways->wanted[side];
	int r;

	wanted.part = late ? CHAINS_LATE : CHAINS_EARLY;
	r = chains_found_init(&found, &ways->grounds[side], &wanted);
	return r < 0 ? r : add_found(ways, side, &found, late);
}

/* --- text --- */

/* Writes a way from the wait to the cause, one line per step. */
static int write_way(const struct diff_table *table, const struct diff *diff, const struct diff_row *row)
{
	const struct diff_node *nodes = table->tree->nodes.items;
	_cleanup_free_ uint32_t *way = NULL;
	FILE *out = diff->context->out;
	size_t length = 0, column = DIFF_FIGURES_WIDTH;

	for (uint32_t node = row->key[0]; node; node = nodes[node].parent)
		length++;
	way = calloc(length + 1, sizeof(*way));
	if (!way)
		return -ENOMEM;
	for (uint32_t node = row->key[0], i = (uint32_t)length; node; node = nodes[node].parent)
		way[--i] = nodes[node].name;
	diff_row_write(row, &diff->scale, out);
	for (size_t i = 0; i < length; i++) {
		if (i)
			(void)fprintf(out, "%*s", (int)column, "");
		wrap_write(out, diff->names.texts.items[way[i]], column, diff->context->settings->width);
		(void)fputc('\n', out);
		column += INDENT;
	}
	return 0;
}

static void write_followed(const struct ways *ways)
{
	const struct view_context *context = ways->diff->context;
	uint64_t followed = wait_add(ways->followed[DIFF_BEFORE], ways->followed[DIFF_AFTER]);

	if (ways->least)
		page_comment(context, context->out, "followed: waits of %s or more, %s before and %s after",
			     wait_figure(ways->least).text, wait_figure(ways->followed[DIFF_BEFORE]).text,
			     wait_figure(ways->followed[DIFF_AFTER]).text);
	if (ways->estimated)
		page_comment(context, context->out,
			     "estimated, or not followed to the end, as it is too much work: %s%%",
			     figure_percent(ways->estimated, followed).text);
}

static int print_ways(const struct ways *ways)
{
	const struct diff_table table = {"what held whom", "the wait, and below it what held it up", "chains",
					 write_way, &ways->tree};
	_cleanup_(diff_rows_deinit) struct diff_rows rows = {0};
	int r = 0;

	for (uint32_t i = 1; i < ways->tree.nodes.count && !r; i++) {
		const struct diff_node *node = &ways->tree.nodes.items[i];

		r = diff_rows_add(&rows, &(struct diff_row){.pair = node->self, .key[0] = i,
							    .name = ways->diff->names.texts.items[node->name]});
	}
	if (!r)
		r = diff_table_print(&table, ways->diff, &rows);
	if (!r)
		write_followed(ways);
	return r;
}

int diff_chains(struct diff *diff)
{
	_cleanup_(ways_deinit) struct ways ways;
	int r = ways_init(&ways, diff);

	if (!r && !ways.wakers) {
		page_comment(diff->context, diff->context->out,
			     "nobody's wakers were recorded: what held whom is not known");
		return 0;
	}
	for (size_t i = 0; i < DIFF_SIDES && !r; i++) {
		r = add_half(&ways, i, false);
		if (!r)
			r = add_half(&ways, i, true);
	}
	return r < 0 ? r : print_ways(&ways);
}
