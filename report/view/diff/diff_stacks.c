/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/diff/diff_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/printable.h"
#include "report/view/look/rows.h"
#include "report/view/text/wrap.h"

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
	int r;

	if (is_cut(stacks->diff, chains, node)) {
		*ret_node = 0;
		return 0;
	}
	r = functions_find_node(of->functions, node, &function);
	if (!r)
		r = name_function(stacks->diff, of, function, &name);
	return r < 0 ? r : diff_tree_enter(&stacks->tree, parent, name, ret_node);
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
	r = diff_names_add(&stacks->diff->names, comm, &added.key[0]);
	if (!r)
		r = hash_map_add(&stacks->waits, added.key, sizeof(added.key), stacks->rows.items.count, &number);
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
	r = diff_tree_init(&stacks->tree);
	if (!r)
		r = hash_map_init(&stacks->waits);
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
	int r = stacks_init(&stacks, diff, false);

	if (!r)
		r = print_functions(&stacks, false);
	return r < 0 ? r : print_functions(&stacks, true);
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
