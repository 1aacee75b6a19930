/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --chains: of waits, the tree of their causes; of walks, who holds up whom. */
#include "report/wait/chains.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/log.h"
#include "common/options/options.h"
#include "common/printable.h"
#include "report/profile/figures.h"
#include "report/view/call_tree.h"
#include "report/view/page.h"
#include "report/view/view.h"
#include "report/view/wait_text.h"

/* --- walks --- */

/* --chains of walks: each task that holds a lock and does not wait for one; below it, the tasks that it holds up. */

enum { MOST_DEPTH = 32, MOST_HELD = 10 /* tasks below each that hold up nobody themselves */, INDENT = 4 };

struct walk_chains {
	const struct view_context *context;
	struct waits waits;
	struct walk_holders holders;
	const struct profile_walk *walks;
	size_t walk_count;
	uint32_t *held;	/* rows that have a holder, sorted by holder, then by how many they hold up, then by wait */
	size_t held_count;
	bool *wanted;	/* by row or outsider: it, a task that it holds up, or one that holds it up was requested */
};

static void walk_chains_deinit(struct walk_chains *chains)
{
	walk_holders_deinit(&chains->holders);
	free(chains->held);
	free(chains->wanted);
}

static uint64_t wait_of(const struct profile_walk_task *row)
{
	return row->bound == WAIT_NONE ? 0 : row->wait;
}

static int compare_held(const void *left, const void *right, void *context)
{
	const struct walk_holders *holders = &((const struct walk_chains *)context)->holders;
	const uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;
	const uint64_t l_wait = wait_of(&holders->rows[l]), r_wait = wait_of(&holders->rows[r]);

	return COMPARE(holders->holder[l], holders->holder[r]) ?: COMPARE(holders->held[r], holders->held[l]) ?:
	       COMPARE(r_wait, l_wait) ?: COMPARE(l, r);
}

static bool is_target(const struct walk_chains *chains, uint32_t number)
{
	const struct view_settings *settings = chains->context->settings;
	const struct profile_task *task = &chains->holders.tasks[walk_holders_task(&chains->holders, number)];

	if (settings->chain_comm)
		return !regexec(settings->chain_comm, task->comm, 0, NULL, 0);
	return !settings->chain_target || task->tid == settings->chain_tid;
}

static uint32_t holder_of(const struct walk_chains *chains, uint32_t number)
{
	return number < chains->holders.row_count ? chains->holders.holder[number] : WALK_NO_HOLDER;
}

/* Marks a task and all that hold it up. Stops at a task that is marked already, so the total time is linear. */
static void want(struct walk_chains *chains, uint32_t number)
{
	for (uint32_t at = number; at != WALK_NO_HOLDER && !chains->wanted[at]; at = holder_of(chains, at))
		chains->wanted[at] = true;
}

enum below { BELOW_UNKNOWN, BELOW_NO, BELOW_YES };

/* Whether a task is a target or held up by one; the same for all in between. Each is looked at once. */
static void look_below(const struct walk_chains *chains, uint8_t *below, uint32_t number)
{
	uint32_t at = number;

	while (at != WALK_NO_HOLDER && !below[at]) {
		below[at] = is_target(chains, at) ? BELOW_YES : BELOW_NO;
		if (below[at] == BELOW_NO)
			at = holder_of(chains, at);
	}
	if (at == WALK_NO_HOLDER || below[at] == BELOW_NO)
		return;
	for (at = number; below[at] == BELOW_NO; at = holder_of(chains, at))
		below[at] = BELOW_YES;
}

static int choose(struct walk_chains *chains)
{
	const size_t count = chains->holders.row_count + chains->holders.outsider_count;
	_cleanup_free_ uint8_t *below = calloc(count + 1, sizeof(*below));

	if (!below)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		look_below(chains, below, i);
	for (uint32_t i = 0; i < count; i++)
		if (below[i] == BELOW_YES)
			want(chains, i);
	return 0;
}

static int walk_chains_init(struct walk_chains *chains, const struct view_context *context)
{
	struct walk_holders *holders = &chains->holders;
	int r;

	*chains = (struct walk_chains){.context = context};
	chains->walk_count = profile_walks(context->profile, &chains->walks);
	r = waits_init(&chains->waits, context->profile) ?: walk_holders_init(holders, context->profile);
	if (r < 0)
		return r;
	chains->held = calloc(holders->row_count + 1, sizeof(*chains->held));
	chains->wanted = calloc(holders->row_count + holders->outsider_count + 1, sizeof(*chains->wanted));
	if (!chains->held || !chains->wanted)
		return -ENOMEM;
	for (uint32_t i = 0; i < holders->row_count; i++)
		if (holders->holder[i] != WALK_NO_HOLDER)
			chains->held[chains->held_count++] = i;
	qsort_r(chains->held, chains->held_count, sizeof(*chains->held), compare_held, chains);
	return choose(chains);
}

/* --- print --- */

static void print_line(const struct walk_chains *chains, unsigned int depth, uint32_t number)
{
	FILE *out = chains->context->out;
	const uint32_t held = chains->holders.held[number];

	(void)fprintf(out, "%*s", (int)(depth * INDENT), "");
	walk_write_task(out, &chains->waits, &chains->holders, number);
	if (held)
		(void)fprintf(out, ": holds up %" PRIu32 " task%s", held, plural(held));
	(void)fputc('\n', out);
}

static void print_rest(const struct walk_chains *chains, unsigned int depth, size_t rest, const char *what)
{
	if (rest)
		(void)fprintf(chains->context->out, "%*s%zu other%s%s\n", (int)(depth * INDENT), "", rest, plural(rest),
			      what);
}

/* The tasks that `number` holds up directly: held[result ... *ret_end). */
static size_t find_held(const struct walk_chains *chains, uint32_t number, size_t *ret_end)
{
	const uint32_t *holder = chains->holders.holder, *held = chains->held;

	*ret_end = SORTED_FIRST(i, chains->held_count, holder[held[i]] > number);
	return SORTED_FIRST(i, chains->held_count, holder[held[i]] >= number);
}

static void print_held(const struct walk_chains *chains, uint32_t number, unsigned int depth, uint32_t root)
{
	size_t end, next = find_held(chains, number, &end), shown = 0, rest = 0;

	for (; next < end; next++) {
		const uint32_t row = chains->held[next];

		if (!chains->wanted[row] || row == root)
			continue;
		if (shown == MOST_HELD && !chains->holders.held[row]) {
			rest++;
			continue;
		}
		shown += !chains->holders.held[row];
		print_line(chains, depth, row);
		if (depth < MOST_DEPTH)
			print_held(chains, row, depth + 1, root);
		else if (chains->holders.held[row])
			print_rest(chains, depth + 1, chains->holders.held[row], ", too deep to be shown");
	}
	print_rest(chains, depth, rest, "");
}

/* A circle is printed at its first row. */
static bool is_first_of_circle(const struct walk_chains *chains, uint32_t row)
{
	const struct walk_holders *holders = &chains->holders;
	uint32_t at = holders->holder[row];

	while (at < holders->row_count && at > row && holders->held[at] == holders->held[row])
		at = holders->holder[at];
	return at == row;
}

static void print_root(const struct walk_chains *chains, uint32_t number, bool circle)
{
	FILE *out = chains->context->out;

	(void)fputc('\n', out);
	paint_heading(out, chains->context->settings->color, ">>>");
	(void)fputc(' ', out);
	if (circle)
		(void)fputs("a circle: ", out);
	print_line(chains, 0, number);
	print_held(chains, number, 1, number);
}

static size_t print_roots(const struct walk_chains *chains, uint32_t walk)
{
	const struct walk_holders *holders = &chains->holders;
	size_t printed = 0;

	for (uint32_t i = 0; i < holders->row_count + holders->outsider_count; i++) {
		const bool held = walk_is_held(holders, i);
		const bool circle = held && is_first_of_circle(chains, i);

		if (walk_holders_walk(holders, i) != walk || !holders->held[i] || !chains->wanted[i] ||
		    (held && !circle))
			continue;
		print_root(chains, i, circle);
		printed++;
	}
	return printed;
}

static void count_rows(const struct walk_chains *chains, uint32_t walk, size_t *ret_held, size_t *ret_others)
{
	const struct walk_holders *holders = &chains->holders;

	*ret_held = *ret_others = 0;
	for (size_t i = 0; i < holders->row_count; i++) {
		if (holders->rows[i].walk != walk)
			continue;
		if (holders->holder[i] != WALK_NO_HOLDER)
			(*ret_held)++;
		else if (holders->rows[i].state[0] == 'D')
			(*ret_others)++;
	}
}

static void print_walk(const struct walk_chains *chains, uint32_t walk)
{
	FILE *out = chains->context->out;
	size_t held, others;

	count_rows(chains, walk, &held, &others);
	if (chains->walk_count > 1)
		(void)fprintf(out, "\n=== %s ===\n", figure_date(chains->walks[walk].realtime).text);
	(void)fprintf(out, "# held up by a task that is known: %zu task%s\n", held, plural(held));
	if (others)
		(void)fprintf(out, "# in D for other reasons: %zu task%s; --tasks --state D shows them\n", others,
			      plural(others));
	(void)print_roots(chains, walk);
}

/* 0, -ENOMEM, -EBADMSG. */
static int walk_chains_print(const struct view_context *context)
{
	_cleanup_(walk_chains_deinit) struct walk_chains chains;
	int r = walk_chains_init(&chains, context);

	for (uint32_t walk = 0; !r && walk < chains.walk_count; walk++)
		print_walk(&chains, walk);
	if (!r)
		(void)fputc('\n', context->out);
	return r;
}

/* --- chains --- */

enum { HEADING_INDENT = 4 };

/* The real causes of a target's waits: see chains.h for the method. */

struct chains_view {
	const struct view_context *context;
	const struct profile_wait_totals *totals;
	struct chains_tables tables;
	struct chains_found found;
};

static void chains_view_deinit(struct chains_view *view)
{
	chains_found_deinit(&view->found);
	chains_tables_deinit(&view->tables);
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

	*view = (struct chains_view){.context = context,
				     .totals = profile_wait_totals(context->profile, source)};
	return chains_tables_init(&view->tables, context) ?:
	       chains_found_init(&view->found, &view->tables, &wanted);
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

	chains_step_write(step, &view->tables.names, &view->tables.places, view->context->settings->per_process, out);
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
	chains_step_write(step, &view->tables.names, &view->tables.places, settings->per_process, out);
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
	uint64_t weight = 0;
	FILE *out = view->context->out;

	for (size_t i = shown; i < root->child_count; i++)
		weight += view->found.tree.nodes[view->found.tree.children[root->first_child + i]].weight;
	if (shown < root->child_count)
		(void)fprintf(out, "# targets not shown: %zu, %s%% in all\n", root->child_count - shown,
			      figure_percent(weight, view->found.total).text);
	tree_hidden_write(view->context, hidden, view->found.total);
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
