/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/tree/tree_print.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "report/profile/seam/figures.h"
#include "report/view/text/paint.h"
#include "report/view/text/wrap.h"

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
	r = write_node(printer, child, branch_indent(printer));
	if (!r)
		r = push_prefix(printer, last);
	if (!r)
		r = print_run(printer, child);
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
