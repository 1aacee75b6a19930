/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/call_tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/hash_map.h"
#include "report/profile/figures.h"
#include "report/view/page.h"

struct offset_weight { /* weight of one frame in one node */
	uint64_t offset, weight;
	uint32_t node, frame;
};

struct node_sums {
	struct tally total;
	uint64_t self;
};

struct call_tree_builder {
	struct profile *profile;
	struct functions *functions;
	const struct profile_node *source; /* the profile's nodes */
	const struct profile_frame *frames;
	size_t source_count, frame_count;
	/* By profile node; zero except for nodes touched while a tree is built. */
	struct node_sums *sums;
	uint32_t *tree_node; /* + 1; 0: not touched */
	ARRAY(uint32_t) touched;
	struct hash_map children; /* (node, function) -> node */
	ARRAY(struct call_tree_node) nodes;
	ARRAY(uint32_t) order;
	ARRAY(struct offset_weight) offsets;
};

int call_tree_builder_create(struct profile *profile, struct functions *functions,
			     struct call_tree_builder **ret_builder)
{
	struct call_tree_builder *builder = calloc(1, sizeof(*builder));
	size_t room;

	if (!builder)
		return -ENOMEM;
	builder->profile = profile;
	builder->functions = functions;
	builder->source = profile_nodes(profile, &builder->source_count);
	builder->frames = profile_frames(profile, &builder->frame_count);
	room = builder->source_count + 1;
	builder->sums = calloc(room, sizeof(*builder->sums));
	builder->tree_node = calloc(room, sizeof(*builder->tree_node));
	if (!builder->sums || !builder->tree_node || hash_map_init(&builder->children) < 0) {
		call_tree_builder_destroy(builder);
		return -ENOMEM;
	}
	*ret_builder = builder;
	return 0;
}

void call_tree_builder_destroy(struct call_tree_builder *builder)
{
	if (!builder)
		return;
	free(builder->sums);
	free(builder->tree_node);
	array_free(&builder->touched);
	hash_map_deinit(&builder->children);
	array_free(&builder->nodes);
	array_free(&builder->order);
	array_free(&builder->offsets);
	free(builder);
}

static int compare_numbers(const void *left, const void *right)
{
	return COMPARE(*(const uint32_t *)left, *(const uint32_t *)right);
}

static void forget(struct call_tree_builder *builder)
{
	for (size_t i = 0; i < builder->touched.count; i++) {
		uint32_t node = builder->touched.items[i];

		builder->sums[node] = (struct node_sums){0};
		builder->tree_node[node] = 0;
	}
	builder->touched.count = 0;
}

/* Marks a node and its ancestors, up to the first that is already marked. */
static int touch(struct call_tree_builder *builder, uint32_t node)
{
	while (node < builder->source_count && !builder->tree_node[node]) {
		builder->tree_node[node] = 1;
		if (array_push(&builder->touched, node) < 0)
			return -ENOMEM;
		if (!node)
			return 0;
		if (builder->source[node].parent >= node)
			return -EBADMSG;
		node = builder->source[node].parent;
	}
	return node < builder->source_count ? 0 : -EBADMSG;
}

/* Gathers all profile nodes that the chains pass through, ascending, each with the weight of these chains. */
static int gather(struct call_tree_builder *builder, const struct row *rows, size_t count)
{
	forget(builder);
	for (size_t i = 0; i < count; i++) {
		int r = touch(builder, rows[i].node);

		if (r < 0)
			return r;
		tally_add_row(&builder->sums[rows[i].node].total, &rows[i]);
		builder->sums[rows[i].node].self += rows[i].weight;
	}
	if (builder->touched.count)
		qsort(builder->touched.items, builder->touched.count, sizeof(uint32_t), compare_numbers);
	for (size_t i = builder->touched.count; i-- > 1;) {
		const struct node_sums *sums = &builder->sums[builder->touched.items[i]];

		tally_add(&builder->sums[builder->source[builder->touched.items[i]].parent].total, &sums->total);
	}
	return 0;
}

static int find_child(struct call_tree_builder *builder, uint32_t parent, uint32_t function,
		      uint32_t *ret_node)
{
	const uint32_t key[2] = {parent, function};
	uint64_t *value;
	int r = hash_map_add(&builder->children, key, sizeof(key), builder->nodes.count, &value);

	if (r < 0)
		return r;
	*ret_node = (uint32_t)*value;
	if (!r)
		return 0;
	return array_push(&builder->nodes, (struct call_tree_node){.parent = parent, .function = function});
}

/* What distinguishes the frames of one function. */
static uint64_t offset_of(const struct call_tree_builder *builder, uint32_t frame)
{
	const struct profile_symbol *symbol = profile_symbol(builder->profile, frame);

	return symbol && (symbol->name || symbol->placed) ? symbol->offset : builder->frames[frame].address;
}

static void add_sums(struct call_tree_node *node, const struct node_sums *sums)
{
	node->weight += sums->total.weight;
	node->self += sums->self;
	node->samples += sums->total.samples;
	node->run_queue += sums->total.run_queue;
	node->throttled += sums->total.throttled;
}

/* Adds one profile node to the tree; its parent is already there. */
static int place(struct call_tree_builder *builder, uint32_t source)
{
	uint32_t frame = builder->source[source].frame, parent, function, node;
	int r = functions_find(builder->functions, frame, &function);

	if (r < 0)
		return r;
	parent = builder->tree_node[builder->source[source].parent] - 1;
	r = find_child(builder, parent, function, &node);
	if (r < 0)
		return r;
	builder->tree_node[source] = node + 1;
	add_sums(&builder->nodes.items[node], &builder->sums[source]);
	return array_push(&builder->offsets, (struct offset_weight){.node = node,
								    .frame = frame,
								    .offset = offset_of(builder, frame),
								    .weight = builder->sums[source].total.weight});
}

static int place_all(struct call_tree_builder *builder)
{
	int r = 0;

	hash_map_clear(&builder->children);
	builder->nodes.count = builder->offsets.count = 0;
	if (array_push(&builder->nodes, (struct call_tree_node){0}) < 0)
		return -ENOMEM;
	add_sums(&builder->nodes.items[0], &builder->sums[0]);
	for (size_t i = 1; i < builder->touched.count && !r; i++)
		r = place(builder, builder->touched.items[i]);
	return r;
}

static int compare_offsets(const void *left, const void *right)
{
	const struct offset_weight *l = left, *r = right;

	return COMPARE(l->node, r->node) ?: COMPARE(l->offset, r->offset) ?: COMPARE(l->frame, r->frame);
}

struct offset_run { /* the rows of one node and offset */
	uint32_t frame; /* the heaviest: the same code has different addresses in different processes */
	uint64_t weight;
	size_t end;
};

static struct offset_run read_run(const struct offset_weight *rows, size_t first, size_t count)
{
	struct offset_run run = {.frame = rows[first].frame, .end = first};
	uint64_t most = 0, weight = 0;

	for (size_t i = first;
	     i < count && rows[i].node == rows[first].node && rows[i].offset == rows[first].offset;
	     i++) {
		weight = (i > first && rows[i].frame == rows[i - 1].frame ? weight : 0) + rows[i].weight;
		if (weight > most) {
			most = weight;
			run.frame = rows[i].frame;
		}
		run.weight += rows[i].weight;
		run.end = i + 1;
	}
	return run;
}

/* Sets each node's frame to the one with the heaviest offset; of equal ones the lower offset. */
static void choose_frames(struct call_tree_builder *builder)
{
	struct offset_weight *rows = builder->offsets.items;
	size_t count = builder->offsets.count;
	uint64_t most = 0;

	if (count)
		qsort(rows, count, sizeof(*rows), compare_offsets);
	for (size_t i = 0; i < count;) {
		struct offset_run run = read_run(rows, i, count);
		struct call_tree_node *node = &builder->nodes.items[rows[i].node];

		if (!i || rows[i].node != rows[i - 1].node) {
			most = 0;
			node->frame = rows[i].frame;
		}
		if (run.weight > most) {
			most = run.weight;
			node->frame = run.frame;
		}
		i = run.end;
	}
}

static int compare_siblings(const void *left, const void *right, void *context)
{
	const struct call_tree_builder *builder = context;
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;
	const struct call_tree_node *left_node = &builder->nodes.items[l],
				    *right_node = &builder->nodes.items[r];

	return COMPARE(left_node->parent, right_node->parent) ?: COMPARE(right_node->weight, left_node->weight) ?:
	       functions_compare(builder->functions, left_node->function, right_node->function);
}

static int order_children(struct call_tree_builder *builder)
{
	struct call_tree_node *nodes = builder->nodes.items;
	size_t count = builder->nodes.count;
	uint32_t *order;

	if (array_reserve(&builder->order, count) < 0)
		return -ENOMEM;
	order = builder->order.items;
	for (size_t i = 1; i < count; i++)
		order[i - 1] = (uint32_t)i;
	qsort_r(order, count - 1, sizeof(*order), compare_siblings, builder);
	for (size_t i = 0; i + 1 < count; i++) {
		struct call_tree_node *parent = &nodes[nodes[order[i]].parent];

		if (!parent->child_count++)
			parent->first_child = (uint32_t)i;
	}
	return 0;
}

int call_tree_build(struct call_tree_builder *builder, const struct row *rows, size_t count,
		    struct call_tree *ret_tree)
{
	int r = gather(builder, rows, count) ?: place_all(builder);

	if (r < 0)
		return r;
	choose_frames(builder);
	r = order_children(builder);
	if (r < 0)
		return r;
	*ret_tree = (struct call_tree){
		.nodes = builder->nodes.items,
		.count = builder->nodes.count,
		.children = builder->order.items,
	};
	return 0;
}

uint32_t call_tree_end(const struct call_tree_builder *builder, uint32_t profile_node)
{
	const uint32_t node = profile_node < builder->source_count ? builder->tree_node[profile_node] : 0;

	return node && profile_node ? node - 1 : 0;
}

int call_tree_find_functions(struct call_tree_builder *builder, const struct row *rows, size_t count)
{
	forget(builder);
	for (size_t i = 0; i < count; i++) {
		int r = touch(builder, rows[i].node);

		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < builder->touched.count; i++) {
		uint32_t function;
		int r = functions_find_node(builder->functions, builder->touched.items[i], &function);

		if (r < 0)
			return r;
	}
	return 0;
}

/* --- tree print --- */

enum {
	INDENT = 4,	   /* of the root */
	BRANCH_INDENT = 11, /* indent below a branch: "|--99.99%--" */
	FIGURES_INDENT = 2, /* of the root, after figures */
	FIGURES_BRANCH_INDENT = 3, /* "|--" */
	INDENT_LEVELS = 48, /* deeper branches stay in the column of this level and print their level */
};

struct level { /* a node whose children are branches */
	uint32_t node;
	uint32_t next, shown; /* children: the next to print, the number shown */
	uint64_t hidden_branches; /* with a line of their own at the end */
	struct tally hidden;
	struct tally ends_here; /* of chains that end in the node; with figures only for the root */
};

struct printer {
	const struct view_context *context;
	const struct tree_text *text;
	const struct call_tree *tree;
	uint64_t total;
	struct tree_hidden hidden;
	ARRAY(struct level) levels;
	ARRAY(char) prefix; /* of lines on the current level, INDENT spaces not counted */
};

static bool has_figures(const struct printer *printer)
{
	return printer->text->write_figures;
}

static const struct call_tree_node *child_of(const struct printer *printer, const struct call_tree_node *node,
					     uint32_t number)
{
	return &printer->tree->nodes[printer->tree->children[node->first_child + number]];
}

/*
 * The number of children shown; they are sorted, heaviest first. At least one is shown, even if
 * each branch is small, unless enough chains end here. With figures, a node's self figure already
 * says how much ends in it.
 */
static uint32_t shown_children(const struct printer *printer, const struct call_tree_node *node)
{
	uint64_t least = printer->context->settings->min_share;
	uint32_t shown = node->child_count > 0 && !has_figures(printer) &&
			 !(node->self && figure_reaches(node->self, printer->total, least));

	while (shown < node->child_count &&
	       figure_reaches(child_of(printer, node, shown)->weight, printer->total, least))
		shown++;
	return shown;
}

static struct tally tally_of(const struct call_tree_node *node)
{
	return (struct tally){node->samples, node->weight, node->run_queue, node->throttled};
}

/* Writes what is to the left of a name. */
static void write_prefix(const struct printer *printer, const struct tally *total, const uint64_t *self)
{
	FILE *out = printer->context->out;

	if (has_figures(printer))
		printer->text->write_figures(printer->text, total, self, out);
	(void)fprintf(out, "%*s%.*s", has_figures(printer) ? FIGURES_INDENT : INDENT, "",
		      (int)printer->prefix.count, printer->prefix.items ? printer->prefix.items : "");
}

/* Writes a name that begins at this column of the terminal, after figures. */
static int write_folded(const struct printer *printer, const struct call_tree_node *node, size_t column)
{
	_cleanup_free_ char *name = NULL;
	size_t length;
	FILE *stream = open_memstream(&name, &length);

	if (!stream)
		return -ENOMEM;
	printer->text->write(printer->text, printer->tree, node, stream);
	if (fclose(stream) != 0)
		return -ENOMEM;
	wrap_write(printer->context->out, name, column, printer->context->settings->width);
	return 0;
}

/* `indent`: of the name, after the prefix. */
static int write_node(const struct printer *printer, const struct call_tree_node *node, size_t indent)
{
	size_t column = printer->text->width + FIGURES_INDENT + printer->prefix.count + indent;
	int r = 0;

	if (has_figures(printer) && printer->context->settings->width)
		r = write_folded(printer, node, column);
	else
		printer->text->write(printer->text, printer->tree, node, printer->context->out);
	(void)fputc('\n', printer->context->out);
	return r;
}

static int write_end(const struct printer *printer, const struct call_tree_node *node)
{
	_cleanup_free_ char *before = NULL;
	const int length = (int)printer->prefix.count;

	if (!printer->text->write_end)
		return 0;
	if (asprintf(&before, "%*s%.*s", INDENT, "", length, length ? printer->prefix.items : "") < 0)
		return -ENOMEM;
	printer->text->write_end(printer->text, printer->tree, node, before, printer->context->out);
	return 0;
}

static bool level_is_done(const struct level *level)
{
	return level->next == level->shown && !level->hidden_branches && !level->ends_here.weight;
}

/* "|--12.34%--", or " --12.34%--" if nothing follows on this level; "|--" and " --" after figures. */
static void write_branch(const struct printer *printer, const struct level *level, const struct tally *total,
			 const uint64_t *self)
{
	FILE *out = printer->context->out;

	write_prefix(printer, total, self);
	(void)fputs(level_is_done(level) ? " --" : "|--", out);
	if (!has_figures(printer)) {
		paint_percent(out, printer->context->settings->color, total->weight, printer->total);
		(void)fputs("--", out);
	}
	if (printer->levels.count > INDENT_LEVELS)
		(void)fprintf(out, "[level %zu] ", printer->levels.count);
}

static size_t branch_indent(const struct printer *printer)
{
	return has_figures(printer) ? FIGURES_BRANCH_INDENT : BRANCH_INDENT;
}

/* Goes down by one branch. */
static int push_prefix(struct printer *printer, bool last)
{
	size_t indent = branch_indent(printer);

	if (printer->levels.count > INDENT_LEVELS)
		return 0;
	if (array_reserve(&printer->prefix, printer->prefix.count + indent) < 0)
		return -ENOMEM;
	memset(printer->prefix.items + printer->prefix.count, ' ', indent);
	if (!last)
		printer->prefix.items[printer->prefix.count] = '|';
	printer->prefix.count += indent;
	return 0;
}

/* To be called after leaving a level. */
static void pop_prefix(struct printer *printer)
{
	if (printer->levels.count <= INDENT_LEVELS && printer->prefix.count)
		printer->prefix.count -= branch_indent(printer);
}

/* The sum of a node's children from number `first` on. */
static struct tally sum_of_children(const struct printer *printer, const struct call_tree_node *node, uint32_t first)
{
	struct tally sum = {0};

	for (uint32_t i = first; i < node->child_count; i++) {
		const struct tally tally = tally_of(child_of(printer, node, i));

		tally_add(&sum, &tally);
	}
	return sum;
}

/* With figures, a node's line says how much ends in it; only the root has no line. */
static struct tally what_ends(const struct printer *printer, const struct call_tree_node *node)
{
	struct tally below;

	if (!has_figures(printer))
		return (struct tally){.weight = node->self};
	if (node != printer->tree->nodes)
		return (struct tally){0};
	below = sum_of_children(printer, node, 0);
	return (struct tally){node->samples - below.samples, node->self, node->run_queue - below.run_queue,
			      node->throttled - below.throttled};
}

/*
 * The part of a node's weight that is not in the children shown. If it is too little for a line of
 * its own, it is added to the hidden weight of the whole tree.
 */
static struct level divide(struct printer *printer, const struct call_tree_node *node)
{
	uint64_t least = printer->context->settings->min_share;
	struct level level = {
		.node = (uint32_t)(node - printer->tree->nodes),
		.shown = shown_children(printer, node),
		.ends_here = what_ends(printer, node),
	};

	level.hidden_branches = node->child_count - level.shown;
	level.hidden = sum_of_children(printer, node, level.shown);
	if (level.hidden_branches && !figure_reaches(level.hidden.weight, printer->total, least)) {
		printer->hidden.branches += level.hidden_branches;
		printer->hidden.weight += level.hidden.weight;
		level.hidden_branches = 0;
	}
	if (level.shown && level.ends_here.weight &&
	    !figure_reaches(level.ends_here.weight, printer->total, least)) {
		printer->hidden.branches++;
		printer->hidden.weight += level.ends_here.weight;
		level.ends_here = (struct tally){0};
	}
	return level;
}

/*
 * Follows single children down, one line each, to a leaf (0) or to a node where the weight divides
 * (1), which becomes a level.
 */
static int print_run(struct printer *printer, const struct call_tree_node *node)
{
	for (;;) {
		struct level level = divide(printer, node);
		struct tally tally;
		int r;

		if (!level.shown && !(has_figures(printer) ? level.ends_here.weight : level.hidden_branches))
			return write_end(printer, node);
		if (level.shown != 1 || level.hidden_branches || level.ends_here.weight)
			return array_push(&printer->levels, level) ? -ENOMEM : 1;
		node = child_of(printer, node, 0);
		tally = tally_of(node);
		write_prefix(printer, &tally, &node->self);
		r = write_node(printer, node, 0);
		if (r < 0)
			return r;
	}
}

static int print_child(struct printer *printer, struct level *level)
{
	const struct call_tree_node *child = child_of(printer, &printer->tree->nodes[level->node],
						      level->next++);
	const struct tally tally = tally_of(child);
	bool last = level_is_done(level);
	int r;

	write_branch(printer, level, &tally, &child->self);
	r = write_node(printer, child, branch_indent(printer)) ?:
	    push_prefix(printer, last) ?:
	    print_run(printer, child);
	if (!r)
		pop_prefix(printer); /* no new level: back to this one */
	return r < 0 ? r : 0;
}

/* Prints the last lines of a level: chains that end there, and what was left out. */
static void print_rest(struct printer *printer, struct level *level)
{
	const struct tally ending = level->ends_here;
	uint64_t branches = level->hidden_branches;
	const char *name = has_figures(printer) ? printer->text->no_function : "[ends here]";

	if (ending.weight) {
		level->ends_here = (struct tally){0};
		write_branch(printer, level, &ending, &ending.weight);
		(void)fprintf(printer->context->out, "%s\n", name);
	} else {
		level->hidden_branches = 0;
		write_branch(printer, level, &level->hidden, NULL);
		(void)fprintf(printer->context->out,
			      "[%" PRIu64 " more, each below the least share]\n", branches);
	}
}

static int print_levels(struct printer *printer)
{
	while (printer->levels.count) {
		struct level *level = &printer->levels.items[printer->levels.count - 1];
		int r = 0;

		if (level->next < level->shown) {
			r = print_child(printer, level);
		} else if (!level_is_done(level)) {
			print_rest(printer, level);
		} else {
			printer->levels.count--;
			pop_prefix(printer);
		}
		if (r < 0)
			return r;
	}
	return 0;
}

int tree_print(const struct view_context *context, const struct tree_text *text,
	       const struct call_tree *tree, uint32_t from, uint64_t total,
	       struct tree_hidden *ret_hidden)
{
	struct printer printer = {.context = context, .text = text, .tree = tree, .total = total};
	int r = print_run(&printer, &tree->nodes[from]);

	if (r > 0)
		r = print_levels(&printer);
	*ret_hidden = printer.hidden;
	array_free(&printer.levels);
	array_free(&printer.prefix);
	return r;
}

void tree_hidden_write(const struct view_context *context, const struct tree_hidden *hidden, uint64_t total)
{
	if (hidden->branches)
		(void)fprintf(context->out, "# branches below %s%% not shown: %" PRIu64 ", %s%% in all\n",
			      figure_percent(context->settings->min_share, 1000000).text, hidden->branches,
			      figure_percent(hidden->weight, total).text);
}
