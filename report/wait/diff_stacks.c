/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/printable.h"
#include "report/profile/figures.h"
#include "report/view/groups.h"
#include "report/view/page.h"
#include "report/view/wait_text.h"
#include "report/wait/chains.h"
#include "report/wait/diff.h"

/* Functions and stacks that changed: all chains of both profiles in one tree, by the names of their functions. */

struct stacks {
	struct diff *diff;
	struct diff_tree tree;
	uint32_t *nodes[DIFF_SIDES]; /* by node of the profile: its node in the tree, plus 1; 0: not known yet */
	struct hash_map waits;	     /* (comm, node) -> row, if wanted */
	struct diff_rows rows;
	ARRAY(uint32_t) way; /* reused */
};

static void stacks_deinit(struct stacks *stacks)
{
	diff_tree_deinit(&stacks->tree);
	for (size_t i = 0; i < DIFF_SIDES; i++)
		free(stacks->nodes[i]);
	hash_map_deinit(&stacks->waits);
	diff_rows_deinit(&stacks->rows);
	array_free(&stacks->way);
}

/* --- names --- */

static int name_function(struct diff *diff, struct diff_side *side, uint32_t function, uint32_t *ret_name)
{
	char *text = NULL;
	int r;

	while (side->name_of.count <= function)
		if (array_push(&side->name_of, 0) < 0)
			return -ENOMEM;
	if (side->name_of.items[function]) {
		*ret_name = side->name_of.items[function] - 1;
		return 0;
	}
	if (asprintf(&text, "%s%s", functions_name(side->functions, function),
		     functions_inlined(side->functions, function)) < 0)
		return -ENOMEM;
	r = diff_names_add(&diff->names, text, ret_name);
	free(text);
	if (!r)
		side->name_of.items[function] = *ret_name + 1;
	return r;
}

/* --- the tree --- */

struct chain_nodes {
	const struct profile_node *nodes;
	const struct profile_frame *frames;
	size_t node_count, frame_count;
};

/* Whether it is a user frame while only kernel frames can be compared. */
static bool is_cut(const struct diff *diff, const struct chain_nodes *chains, uint32_t node)
{
	return diff->kernel_only && !chains->frames[chains->nodes[node].frame].kernel;
}

static int enter_node(struct stacks *stacks, size_t side, const struct chain_nodes *chains, uint32_t node,
		      uint32_t parent, uint32_t *ret_node)
{
	struct diff_side *of = &stacks->diff->sides[side];
	uint32_t function, name;

	if (is_cut(stacks->diff, chains, node)) {
		*ret_node = 0;
		return 0;
	}
	return functions_find_node(of->functions, node, &function) ?:
	       name_function(stacks->diff, of, function, &name) ?:
	       diff_tree_enter(&stacks->tree, parent, name, ret_node);
}

/* The tree's node for a node of the profile. Adds it and those of its callers if they are new. */
static int find_node(struct stacks *stacks, size_t side, const struct chain_nodes *chains, uint32_t node,
		     uint32_t *ret_node)
{
	uint32_t *known = stacks->nodes[side], found;
	int r = 0;

	stacks->way.count = 0;
	while (node < chains->node_count && !known[node]) {
		const struct profile_node *at = &chains->nodes[node];

		if (array_push(&stacks->way, node) < 0)
			return -ENOMEM;
		if (at->frame >= chains->frame_count || at->parent >= node)
			return -EBADMSG;
		node = at->parent;
	}
	if (node >= chains->node_count)
		return -EBADMSG;
	found = known[node] - 1;
	for (size_t i = stacks->way.count; i-- > 0 && !r;) {
		r = enter_node(stacks, side, chains, stacks->way.items[i], found, &found);
		if (!r)
			known[stacks->way.items[i]] = found + 1;
	}
	*ret_node = found;
	return r;
}

/* --- rows --- */

static int add_wait(struct stacks *stacks, size_t side, const struct row *row, uint32_t node,
		    const struct diff_pair *pair)
{
	const struct task_names *tasks = &stacks->diff->sides[side].tasks;
	struct diff_row added = {.pair = *pair, .key[1] = node};
	char comm[128];
	const char *raw = tasks->comms[tasks->comm_of[row->task]];
	uint64_t *number;
	int r;

	(void)printable_escape(comm, sizeof(comm), raw, strlen(raw));
	r = diff_names_add(&stacks->diff->names, comm, &added.key[0]) ?:
	    hash_map_add(&stacks->waits, added.key, sizeof(added.key), stacks->rows.items.count, &number);
	if (r < 0)
		return r;
	if (!r)
		diff_pair_add(&stacks->rows.items.items[*number].pair, pair);
	return r ? array_push(&stacks->rows.items, added) : 0;
}

static int add_row(struct stacks *stacks, size_t side, const struct chain_nodes *chains, const struct row *row,
		   bool waits)
{
	const struct diff_pair pair = diff_weigh(stacks->diff, side, row->samples, row->weight,
						 row->flags & CHAIN_LATE);
	uint32_t node;
	int r = find_node(stacks, side, chains, row->node, &node);

	if (r < 0)
		return r;
	if (waits)
		return add_wait(stacks, side, row, node, &pair);
	diff_pair_add(&stacks->tree.nodes.items[node].self, &pair);
	return 0;
}

static int add_side(struct stacks *stacks, size_t side, bool waits)
{
	const struct diff_side *of = &stacks->diff->sides[side];
	_cleanup_(rows_deinit) struct rows rows = {0};
	struct chain_nodes chains;
	int r;

	chains.nodes = profile_nodes(of->context.profile, &chains.node_count);
	chains.frames = profile_frames(of->context.profile, &chains.frame_count);
	stacks->nodes[side] = calloc(chains.node_count + 1, sizeof(*stacks->nodes[side]));
	if (!stacks->nodes[side])
		return -ENOMEM;
	stacks->nodes[side][0] = 1;
	r = rows_init(&rows, of->context.profile, of->number, NULL);
	for (size_t i = 0; i < rows.count && !r; i++)
		r = add_row(stacks, side, &chains, &rows.items[i], waits);
	return r;
}

static int stacks_init(struct stacks *stacks, struct diff *diff, bool waits)
{
	int r;

	*stacks = (struct stacks){.diff = diff};
	r = diff_tree_init(&stacks->tree) ?: hash_map_init(&stacks->waits);
	for (size_t i = 0; i < DIFF_SIDES && !r; i++)
		r = add_side(stacks, i, waits);
	return r;
}

/* --- functions --- */

static int write_name(const struct diff_table *table, const struct diff *diff, const struct diff_row *row)
{
	(void)table;
	diff_row_write(row, &diff->scale, diff->context->out);
	wrap_write(diff->context->out, row->name, DIFF_FIGURES_WIDTH, diff->context->settings->width);
	(void)fputc('\n', diff->context->out);
	return 0;
}

/* Empty chains are one of the rows. */
static int print_named(const struct diff_table *table, struct diff *diff, const struct diff_pair *pairs,
		       const struct diff_pair *none, struct diff_rows *rows)
{
	struct diff_row nothing = {.pair = *none, .name = functions_name(diff->sides[0].functions, FUNCTION_NONE)};
	int r = diff_rows_add(rows, &nothing);

	for (size_t i = 0; i < diff->names.texts.count && !r; i++)
		r = diff_rows_add(rows, &(struct diff_row){.pair = pairs[i], .name = diff->names.texts.items[i]});
	return r < 0 ? r : diff_table_print(table, diff, rows);
}

static int print_functions(struct stacks *stacks, bool total)
{
	static const struct diff_table tables[] = {
		{"functions by themselves (self)", "function", "functions", write_name, NULL},
		{"functions with all that they called (total)", "function", "functions", write_name, NULL},
	};
	size_t names = stacks->diff->names.texts.count;
	_cleanup_free_ struct diff_pair *pairs = calloc(names + 1, sizeof(*pairs));
	_cleanup_(diff_rows_deinit) struct diff_rows rows = {0};
	int r = pairs ? 0 : -ENOMEM;

	if (!r && total)
		r = diff_tree_totals(&stacks->tree, names, pairs);
	for (size_t i = 1; i < stacks->tree.nodes.count && !r && !total; i++)
		diff_pair_add(&pairs[stacks->tree.nodes.items[i].name], &stacks->tree.nodes.items[i].self);
	return r < 0 ? r : print_named(&tables[total], stacks->diff, pairs, &stacks->tree.nodes.items[0].self, &rows);
}

int diff_functions(struct diff *diff)
{
	_cleanup_(stacks_deinit) struct stacks stacks;

	return stacks_init(&stacks, diff, false) ?:
	       print_functions(&stacks, false) ?:
	       print_functions(&stacks, true);
}

/* --- waits --- */

/* "comm: leaf < caller < ... < root" */
static int write_wait(const struct diff_table *table, const struct diff *diff, const struct diff_row *row)
{
	const struct diff_node *nodes = table->tree->nodes.items;
	struct wrap line;
	FILE *out = wrap_begin(&line, diff->context->out, DIFF_FIGURES_WIDTH, diff->context->settings->width);

	if (!out)
		return -ENOMEM;
	diff_row_write(row, &diff->scale, out);
	(void)fprintf(out, "%s: ", row->name);
	if (!row->key[1])
		(void)fputs(functions_name(diff->sides[0].functions, FUNCTION_NONE), out);
	for (uint32_t node = row->key[1]; node; node = nodes[node].parent)
		(void)fprintf(out, "%s%s", node == row->key[1] ? "" : " < ", diff->names.texts.items[nodes[node].name]);
	return wrap_end(&line);
}

int diff_waits(struct diff *diff)
{
	_cleanup_(stacks_deinit) struct stacks stacks;
	const struct diff_table table = {"waits by stack", "comm: stack, where it waited first", "stacks", write_wait,
					 &stacks.tree};
	int r = stacks_init(&stacks, diff, true);

	for (size_t i = 0; i < stacks.rows.items.count && !r; i++)
		stacks.rows.items.items[i].name = diff->names.texts.items[stacks.rows.items.items[i].key[0]];
	return r < 0 ? r : diff_table_print(&table, diff, &stacks.rows);
}

/* --- diff chains --- */

/*
 * What held up whom, and how that changed. The waits of both profiles are followed to their causes,
 * each half of a recording separately, and the ways are put into one tree, by the texts of their
 * steps. A way is a path from a wait to a cause; together the ways divide the time of the waits.
 */

enum { MOST = 2000, INDENT = 2 }; /* MOST: waits that are followed on each side */

struct ways {
	struct diff *diff;
	struct diff_tree tree;
	struct chains_tables tables[DIFF_SIDES];
	struct chains_wanted wanted[DIFF_SIDES];
	uint64_t least;
	uint64_t followed[DIFF_SIDES], estimated; /* ns; estimated: of both */
	bool wakers; /* at least one was recorded */
};

static void ways_deinit(struct ways *ways)
{
	diff_tree_deinit(&ways->tree);
	for (size_t i = 0; i < DIFF_SIDES; i++)
		chains_tables_deinit(&ways->tables[i]);
}

/* Uses the same least length on both sides: else shorter waits would count on the side with fewer long ones. */
static int choose_least(struct ways *ways)
{
	int r = 0;

	for (size_t i = 0; i < DIFF_SIDES && !r; i++) {
		uint64_t least = 0;

		r = chains_least(&ways->tables[i], &ways->wanted[i], &least);
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
		r = chains_tables_init(&ways->tables[i], &side->context);
		if (!r)
			ways->wakers |= has_wakers(&ways->tables[i].waits);
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
	chains_step_write(&found->steps.steps.items[number], &found->tables->names, &found->tables->places,
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
		r = name_step(ways, found, i, &name) ?:
		    diff_tree_enter(&ways->tree, nodes[node->parent], name, &nodes[i]);
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

	wanted.part = late ? CHAINS_LATE : CHAINS_EARLY;
	return chains_found_init(&found, &ways->tables[side], &wanted) ?: add_found(ways, side, &found, late);
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
		r = add_half(&ways, i, false) ?: add_half(&ways, i, true);
	}
	return r < 0 ? r : print_ways(&ways);
}
