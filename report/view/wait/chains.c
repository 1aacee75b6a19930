/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "common/options/option_values.h"
#include "common/plural.h"
#include "common/printable.h"
#include "report/profile/seam/figures.h"
#include "report/view/stack/walk_chains.h"
#include "report/view/text/page.h"
#include "report/view/text/paint.h"
#include "report/view/text/wrap.h"
#include "report/view/tree/tree_print.h"
#include "report/view/wait/chains_targets.h"

enum { HEADING_INDENT = 4 };

/* The real causes of a target's waits: see chains_follow.h for the method. */

struct chains_view {
	const struct view_context *context;
	const struct profile_wait_totals *totals;
	struct chains_ground ground;
	struct chains_found found;
};

static void chains_view_deinit(struct chains_view *view)
{
	chains_found_deinit(&view->found);
	chains_ground_deinit(&view->ground);
}

static int chains_view_init(struct chains_view *view, const struct view_context *context, uint32_t source)
{
	const struct view_settings *settings = context->settings;
	const struct chains_wanted wanted = {.source = source,
					     .named = settings->chain_target || settings->names_tasks,
					     .anybody = !settings->chain_target,
					     .comm = settings->chain_comm,
					     .tid = settings->chain_tid,
					     .objects = true};
	int r;

	*view = (struct chains_view){.context = context,
				     .totals = profile_wait_totals(context->profile, source)};
	r = chains_ground_init(&view->ground, context);
	return r < 0 ? r : chains_found_init(&view->found, &view->ground, &wanted);
}

struct step_text {
	struct tree_text text;
	const struct chains_view *view;
};

/* "woken by B in futex_wake (unlock), which was blocked in pipe_read, in read of pipe:5  (240.0ms)" */
static void write_step(const struct tree_text *text, const struct call_tree *tree,
		       const struct call_tree_node *node, FILE *out)
{
	const struct chains_view *view = ((const struct step_text *)text)->view;
	const uint32_t number = (uint32_t)(node - tree->nodes);
	const struct step *step = &view->found.steps.steps.items[number];

	chains_step_write(step, &view->ground.names, &view->ground.places, view->context->settings->per_process, out);
	object_tally_write(&view->found.objects, number, out);
	if (step->kind == STEP_RAN_OR_BRIEF)
		(void)fprintf(out, " %" PRIu64, view->totals ? view->totals->least_wait / 1000 : 0);
	(void)fprintf(out, "  (%sms)", figure_milliseconds(node->weight).text);
}

/* ">>> 75.00%  app blocked in futex_wait_queue (lock)  (300.0ms, 3 waits)". 0, -ENOMEM. */
static int print_target(const struct chains_view *view, uint32_t number)
{
	const struct view_settings *settings = view->context->settings;
	const struct call_tree_node *node = &view->found.tree.nodes[number];
	const struct step *step = &view->found.steps.steps.items[number];
	uint64_t count = view->found.steps.counts.items[number];
	struct wrap line;
	FILE *out = wrap_begin(&line, view->context->out, HEADING_INDENT, settings->width);

	if (!out)
		return -ENOMEM;
	paint_heading(out, settings->color, ">>>");
	(void)fputc(' ', out);
	paint_percent(out, settings->color, node->weight, view->found.total);
	(void)fputs("  ", out);
	chains_step_write(step, &view->ground.names, &view->ground.places, settings->per_process, out);
	object_tally_write(&view->found.objects, number, out);
	(void)fprintf(out, "  (%sms, %" PRIu64 " wait%s)", figure_milliseconds(node->weight).text, count,
		      plural(count));
	return wrap_end(&line);
}

/* Without a target, waits are followed only if somebody held them up. */
static void print_left(const struct chains_count *left, const char *why, FILE *out)
{
	if (left->waits)
		(void)fprintf(out, "# not among them, %s: %zu wait%s, %s ms\n", why, left->waits,
			      plural(left->waits), figure_milliseconds(left->weight).text);
}

/* "# followed: the 1000 longest of 52340 waits, 9000.0 ms of 12345.6 ms in all; ..." */
static void print_targets(const struct chains_view *view)
{
	const struct view_settings *settings = view->context->settings;
	const struct chains_count *matched = &view->found.matched;
	FILE *out = view->context->out;

	(void)fputs("# followed: ", out);
	if (view->found.target_count < matched->waits)
		(void)fprintf(out, "the %zu longest of ", view->found.target_count);
	(void)fprintf(out, "%zu wait%s", matched->waits, plural(matched->waits));
	if (settings->chain_comm) {
		(void)fputs(" of comms that match '", out);
		printable_write_line(out, settings->chain_target, strlen(settings->chain_target));
		(void)fputc('\'', out);
	} else if (settings->chain_target) {
		(void)fprintf(out, " of thread %" PRIu32, settings->chain_tid);
	}
	(void)fprintf(out, ", %s ms", figure_milliseconds(view->found.target_weight).text);
	if (view->found.target_count < matched->waits)
		(void)fprintf(out, " of %s ms", figure_milliseconds(matched->weight).text);
	(void)fputs("; percentages are of that time\n", out);
	print_left(&view->found.open, "as they had not ended", out);
	print_left(&view->found.timers, "as a timer ended them", out);
}

/* Reports what is not shown: nothing is left out silently. */
static void print_hidden(const struct chains_view *view, size_t shown, const struct tree_hidden *hidden)
{
	const struct call_tree_node *root = &view->found.tree.nodes[0];
	uint64_t weight = 0, least = view->context->settings->min_share;
	FILE *out = view->context->out;

	for (size_t i = shown; i < root->child_count; i++)
		weight += view->found.tree.nodes[view->found.tree.children[root->first_child + i]].weight;
	if (shown < root->child_count)
		(void)fprintf(out, "# targets not shown: %zu, %s%% in all\n", root->child_count - shown,
			      figure_percent(weight, view->found.total).text);
	if (hidden->branches)
		(void)fprintf(out, "# branches below %s%% not shown: %" PRIu64 ", %s%% in all\n",
			      figure_percent(least, 1000000).text, hidden->branches,
			      figure_percent(hidden->weight, view->found.total).text);
	if (view->found.sampled)
		(void)fprintf(out, "# estimated from single moments, as more is too much work: %s%%\n",
			      figure_percent(view->found.sampled, view->found.total).text);
	if (view->found.steps.too_much)
		(void)fprintf(out,
			      "# not followed to the end, as it is too much work: %s%%; "
			      "a narrower target or --time helps\n",
			      figure_percent(view->found.steps.too_much, view->found.total).text);
}

/* The number of targets shown; they are sorted, heaviest first. */
static size_t shown_targets(const struct chains_view *view)
{
	const struct view_settings *settings = view->context->settings;
	const struct call_tree *tree = &view->found.tree;
	const struct call_tree_node *root = &tree->nodes[0];
	size_t shown = 0;

	while (shown < root->child_count && (!settings->max_groups || shown < settings->max_groups) &&
	       figure_reaches(tree->nodes[tree->children[root->first_child + shown]].weight, view->found.total,
			      settings->min_share))
		shown++;
	return shown;
}

static int print_ways(const struct chains_view *view)
{
	const struct step_text text = {.text.write = write_step, .view = view};
	struct tree_hidden all = {0}, hidden = {0};
	size_t shown = shown_targets(view);
	FILE *out = view->context->out;
	int r = 0;

	for (size_t i = 0; !r && i < shown; i++) {
		uint32_t number = view->found.tree.children[view->found.tree.nodes[0].first_child + i];

		(void)fputc('\n', out);
		r = print_target(view, number);
		if (r < 0)
			break;
		if (view->found.tree.nodes[number].child_count)
			(void)fputs("    |\n", out);
		r = tree_print(view->context, &text.text, &view->found.tree, number, view->found.total, &hidden);
		all.branches += hidden.branches;
		all.weight += hidden.weight;
	}
	if (r < 0)
		return r;
	if (shown)
		(void)fputc('\n', out);
	print_hidden(view, shown, &all);
	return 0;
}

static int show_chains(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	_cleanup_(chains_view_deinit) struct chains_view view = {0};
	int r;

	if (source->kind == PROFILE_TASKS)
		return walk_chains_print(context);
	r = chains_view_init(&view, context, number);
	if (r < 0)
		return r;
	if (source->samples)
		print_targets(&view);
	return print_ways(&view);
}

/* A number is a thread, anything else an expression for comms. */
static int parse_target(struct view_settings *settings, const char *value)
{
	uint64_t tid = 0;
	char why[256];
	int r;

	if (settings->chain_target)
		return log_error(EINVAL, "--chains may be given only once; join expressions with '|'");
	settings->chain_target = value;
	if (!value || (!option_value_decimal(value, 0, &tid) && tid <= INT32_MAX)) {
		settings->chain_tid = (uint32_t)tid;
		return 0;
	}
	settings->chain_comm = malloc(sizeof(*settings->chain_comm));
	if (!settings->chain_comm)
		return log_error(ENOMEM, "not enough memory");
	r = *value ? regcomp(settings->chain_comm, value, REG_EXTENDED | REG_NOSUB) : REG_BADPAT;
	if (!r)
		return 0;
	(void)regerror(r, settings->chain_comm, why, sizeof(why));
	free(settings->chain_comm);
	settings->chain_comm = NULL;
	return log_error(EINVAL, "--chains expects a thread's number or a regular expression for comms, not '%s': %s",
			 value, why);
}

const struct view chains_view = {
	VIEW_ARGUMENT("chains", "[=TARGET]", .help = "what a thread, comms or the longest waits waited for", .often = true),
	.print = show_chains, .parse = parse_target, .kinds = VIEW_WAITED | VIEW_WALKED, .beside = VIEW_WOKEN, .needs = PROFILE_EVERYONE,
};
