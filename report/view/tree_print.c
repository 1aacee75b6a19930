/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/tree_print.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/array.h"
#include "report/figures.h"
#include "report/view/paint.h"

enum {
	INDENT = 4,	   /* of the root */
	BRANCH_INDENT = 11, /* of what is below a branch: "|--99.99%--" */
	INDENT_LEVELS = 48, /* deeper branches stay in this column and say their level */
};

struct level { /* a node whose children are branches */
	uint32_t node;
	uint32_t next, shown; /* children: the next to print, how many are shown */
	uint64_t hidden_branches, hidden_weight; /* that get a line of their own at the end */
	uint64_t ends_here;  /* weight of chains that end in the node */
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

static const struct call_tree_node *child_of(const struct printer *printer, const struct call_tree_node *node,
					     uint32_t number)
{
	return &printer->tree->nodes[printer->tree->children[node->first_child + number]];
}

/* Children are heaviest first: the number of those that are shown. */
static uint32_t shown_children(const struct printer *printer, const struct call_tree_node *node)
{
	uint64_t least = printer->context->settings->min_share;
	uint32_t shown = node->child_count > 0;

	while (shown < node->child_count &&
	       figure_reaches(child_of(printer, node, shown)->weight, printer->total, least))
		shown++;
	return shown;
}

static void write_prefix(const struct printer *printer)
{
	(void)fprintf(printer->context->out, "%*s%.*s", INDENT, "", (int)printer->prefix.count,
		      printer->prefix.items ? printer->prefix.items : "");
}

static void write_node(const struct printer *printer, const struct call_tree_node *node)
{
	printer->text->write(printer->text, printer->tree, node, printer->context->out);
	(void)fputc('\n', printer->context->out);
}

static bool level_is_done(const struct level *level)
{
	return level->next == level->shown && !level->hidden_branches && !level->ends_here;
}

/* "|--12.34%--", or " --12.34%--" where nothing follows on this level. */
static void write_branch(const struct printer *printer, const struct level *level, uint64_t weight)
{
	FILE *out = printer->context->out;

	write_prefix(printer);
	(void)fputs(level_is_done(level) ? " --" : "|--", out);
	paint_percent(out, printer->context->settings->color, weight, printer->total);
	(void)fputs("--", out);
	if (printer->levels.count > INDENT_LEVELS)
		(void)fprintf(out, "[level %zu] ", printer->levels.count);
}

/* Deeper by one branch. */
static int push_prefix(struct printer *printer, bool last)
{
	if (printer->levels.count > INDENT_LEVELS)
		return 0;
	if (array_reserve(&printer->prefix, printer->prefix.count + BRANCH_INDENT) < 0)
		return -ENOMEM;
	memset(printer->prefix.items + printer->prefix.count, ' ', BRANCH_INDENT);
	if (!last)
		printer->prefix.items[printer->prefix.count] = '|';
	printer->prefix.count += BRANCH_INDENT;
	return 0;
}

/* After a level has been left. */
static void pop_prefix(struct printer *printer)
{
	if (printer->levels.count <= INDENT_LEVELS && printer->prefix.count)
		printer->prefix.count -= BRANCH_INDENT;
}

/*
 * What of a node's weight is not with the children that are shown. Too little for a line of its own: it is added to
 * what the whole tree hides.
 */
static struct level divide(struct printer *printer, const struct call_tree_node *node)
{
	uint64_t least = printer->context->settings->min_share;
	struct level level = {
		.node = (uint32_t)(node - printer->tree->nodes),
		.shown = shown_children(printer, node),
		.hidden_weight = node->weight - node->self,
		.ends_here = node->self,
	};

	level.hidden_branches = node->child_count - level.shown;
	for (uint32_t i = 0; i < level.shown; i++)
		level.hidden_weight -= child_of(printer, node, i)->weight;
	if (level.hidden_branches && !figure_reaches(level.hidden_weight, printer->total, least)) {
		printer->hidden.branches += level.hidden_branches;
		printer->hidden.weight += level.hidden_weight;
		level.hidden_branches = 0;
	}
	if (level.shown && level.ends_here && !figure_reaches(level.ends_here, printer->total, least)) {
		printer->hidden.branches++;
		printer->hidden.weight += level.ends_here;
		level.ends_here = 0;
	}
	return level;
}

/*
 * Follows single children down, a line each, to a leaf (0) or to a node where the weight divides (1), which
 * becomes a level.
 */
static int print_run(struct printer *printer, const struct call_tree_node *node)
{
	for (;;) {
		struct level level = divide(printer, node);

		if (!level.shown)
			return 0;
		if (level.shown > 1 || level.hidden_branches || level.ends_here)
			return array_push(&printer->levels, level) ? -ENOMEM : 1;
		node = child_of(printer, node, 0);
		write_prefix(printer);
		write_node(printer, node);
	}
}

static int print_child(struct printer *printer, struct level *level)
{
	const struct call_tree_node *child = child_of(printer, &printer->tree->nodes[level->node], level->next++);
	bool last = level_is_done(level);
	int r;

	write_branch(printer, level, child->weight);
	write_node(printer, child);
	r = push_prefix(printer, last);
	if (!r)
		r = print_run(printer, child);
	if (!r)
		pop_prefix(printer); /* no new level: back to this one */
	return r < 0 ? r : 0;
}

/* The last lines of a level: what ended there, what was left out. */
static void print_rest(struct printer *printer, struct level *level)
{
	uint64_t weight = level->ends_here, branches = level->hidden_branches;

	if (weight) {
		level->ends_here = 0;
		write_branch(printer, level, weight);
		(void)fputs("[ends here]\n", printer->context->out);
	} else {
		level->hidden_branches = 0;
		write_branch(printer, level, level->hidden_weight);
		(void)fprintf(printer->context->out, "[%" PRIu64 " more, each below the least share]\n", branches);
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

int tree_print(const struct view_context *context, const struct tree_text *text, const struct call_tree *tree, uint32_t from,
	       uint64_t total, struct tree_hidden *ret_hidden)
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
