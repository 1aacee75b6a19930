/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/printable.h"
#include "report/figures.h"
#include "report/view/chains_follow.h"
#include "report/view/paint.h"
#include "report/view/section.h"
#include "report/view/tree_print.h"

/* What really held the waits of a target: chains_follow.h says how that is found. */

enum {
	LONGEST = 1000,	      /* waits that are followed where no target is named */
	LONGEST_NAMED = 20000, /* of a target */
	/* What all targets may cost together: some seconds. */
	WORK = 3000000,	       /* waits that are met on the ways */
	MOMENT_WORK = 3000000, /* again, where these have been used up and moments are looked at */
	NODES = 250000,	       /* of the tree */
	/* For one target, where there are many. */
	LEAST_WORK = 100,
	LEAST_NODES = 20,
	LEAST_MOMENTS = 4,
	MOST_MOMENTS = 10000,
	USUAL_HOPS = 32, /* of a moment: most ways are shorter */
};

struct chains_view {
	const struct view_context *context;
	const struct profile_wait_totals *totals;
	struct waits waits;
	struct task_names names;
	struct wait_index index;
	struct functions *functions;
	struct places places;
	struct chains_tree steps;
	struct call_tree tree;
	uint32_t *targets; /* waits, longest first */
	size_t target_count, matched, open;
	uint64_t target_weight, matched_weight, open_weight, total, sampled;
};

static void chains_view_deinit(struct chains_view *view)
{
	free(view->targets);
	chains_tree_deinit(&view->steps);
	places_deinit(&view->places);
	functions_destroy(view->functions);
	wait_index_deinit(&view->index);
	task_names_deinit(&view->names);
}

static bool is_target(const struct view_settings *settings, const struct profile_task *task)
{
	if (settings->chain_comm)
		return !regexec(settings->chain_comm, task->comm, 0, NULL, 0);
	return !settings->chain_target || task->tid == settings->chain_tid;
}

static int compare_targets(const void *left, const void *right, void *context)
{
	const struct profile_wait *waits = context;
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;

	if (waits[l].weight != waits[r].weight)
		return waits[l].weight > waits[r].weight ? -1 : 1;
	return (l > r) - (l < r);
}

/*
 * Waits come by task: each of them is asked once, or once per recording. Nobody has ended a wait that is open, so
 * it says something only of a target that was named; else the longest would be such as have nothing to do.
 */
static void match_targets(struct chains_view *view, uint32_t source)
{
	const struct profile_wait *waits = view->waits.items;
	bool matches = false;

	for (size_t i = 0; i < view->waits.count; i++) {
		if (!i || waits[i].task != waits[i - 1].task)
			matches = is_target(view->context->settings, &view->waits.tasks[waits[i].task]);
		if (!matches || waits[i].source != source || !waits[i].weight)
			continue;
		if (waits[i].flags & PROFILE_WAIT_NOT_ENDED && !view->context->settings->chain_target) {
			view->open++;
			view->open_weight = wait_add(view->open_weight, waits[i].weight);
			continue;
		}
		view->targets[view->matched++] = (uint32_t)i;
		view->matched_weight = wait_add(view->matched_weight, waits[i].weight);
	}
}

static int choose_targets(struct chains_view *view, uint32_t source)
{
	view->targets = calloc(view->waits.count + 1, sizeof(*view->targets));
	if (!view->targets)
		return -ENOMEM;
	match_targets(view, source);
	qsort_r(view->targets, view->matched, sizeof(*view->targets), compare_targets, (void *)view->waits.items);
	view->target_count = view->context->settings->chain_target ? LONGEST_NAMED : LONGEST;
	if (view->target_count > view->matched)
		view->target_count = view->matched;
	for (size_t i = 0; i < view->target_count; i++)
		view->target_weight = wait_add(view->target_weight, view->waits.items[view->targets[i]].weight);
	return 0;
}

struct bounds { /* what may still be used up, of each kind */
	uint64_t work, moment_work, nodes;
};

/* What one target may use up is its part of what is left, so that a costly one does not starve the rest. */
static uint64_t share_of(uint64_t left, size_t targets, uint64_t least)
{
	uint64_t share = left / targets > least ? left / targets : least;

	return share < left ? share : left;
}

static uint64_t moments_for(uint64_t work)
{
	uint64_t moments = work / USUAL_HOPS;

	if (moments < LEAST_MOMENTS)
		return LEAST_MOMENTS;
	return moments < MOST_MOMENTS ? moments : MOST_MOMENTS;
}

static int follow_target(struct follower *follower, struct bounds *left, uint32_t wait, size_t targets)
{
	const struct bounds share = {
		.work = share_of(left->work, targets, LEAST_WORK),
		.moment_work = share_of(left->moment_work, targets, LEAST_WORK),
		.nodes = share_of(left->nodes, targets, LEAST_NODES),
	};
	int r;

	follower->work = share.work;
	follower->moment_work = share.moment_work;
	follower->moments = moments_for(share.moment_work);
	follower->tree->room = share.nodes;
	r = follower_divide(follower, wait);
	left->work -= share.work - follower->work;
	left->moment_work -= share.moment_work - follower->moment_work;
	left->nodes -= share.nodes - follower->tree->room;
	return r;
}

static int follow_targets(struct chains_view *view)
{
	struct follower follower = {
		.waits = &view->waits,
		.index = &view->index,
		.names = &view->names,
		.places = &view->places,
		.tree = &view->steps,
		.per_process = view->context->settings->per_process,
	};
	struct bounds left = {.work = WORK, .moment_work = MOMENT_WORK, .nodes = NODES};
	int r = 0;

	for (size_t i = 0; !r && i < view->target_count; i++)
		r = follow_target(&follower, &left, view->targets[i], view->target_count - i);
	view->sampled = follower.sampled;
	if (!r)
		r = chains_tree_finish(&view->steps, &view->places, &view->tree);
	if (!r)
		view->total = view->tree.nodes[0].weight;
	return r;
}

static int chains_view_init(struct chains_view *view, const struct view_context *context, uint32_t source)
{
	const struct frame_style style = {.addresses = context->settings->addresses, .offsets = context->settings->offsets};
	/* With addresses, what stands behind them is one module's. */
	enum functions_mode mode = style.addresses || style.offsets ? FUNCTIONS_BY_ADDRESS : FUNCTIONS_BY_NAME;
	int r;

	*view = (struct chains_view){.context = context, .totals = profile_wait_totals(context->profile, source)};
	r = waits_init(&view->waits, context->profile);
	if (!r)
		r = task_names_init(&view->names, context->profile);
	if (!r)
		r = wait_index_init(&view->index, &view->waits);
	if (!r)
		r = functions_create(context->profile, mode, section_no_frames(context->settings), &view->functions);
	if (!r)
		r = places_init(&view->places, context->profile, view->functions, style);
	if (!r)
		r = chains_tree_init(&view->steps);
	if (!r)
		r = choose_targets(view, source);
	return r < 0 ? r : follow_targets(view);
}

struct step_text {
	struct tree_text text;
	const struct chains_view *view;
};

/* How each kind of step begins and ends; between stand the task, where it belongs, and where it woke the sleeper. */
static const struct step_words {
	const char *begin, *end;
	bool comm;
} words[STEP_KINDS] = {
	[STEP_BLOCKED] = {"woken by ", ", which was blocked", true},
	[STEP_RAN] = {"woken by ", ", which was running", true},
	[STEP_RAN_OR_BRIEF] = {"woken by ", ", unknown: it ran, or its waits were shorter than -m", true},
	[STEP_WAITED_FOR_CPU] = {"woken by ", ", which was waiting for a CPU", true},
	[STEP_NOT_BORN] = {"woken by ", ", which did not exist yet", true},
	[STEP_UNSEEN] = {"woken by ", ", unknown: nothing is recorded of it", true},
	[STEP_IDLE] = {"woken by ", ", on an idle CPU", true},
	[STEP_ODD_CONTEXT] = {"woken by ", ", unknown: it, or an interrupt that came upon it", true},
	[STEP_TIMER] = {"woken by a timer", "", false},
	[STEP_SOFTIRQ] = {"woken by softirq", "", false},
	[STEP_IRQ] = {"woken by irq", "", false},
	[STEP_RUN_QUEUE] = {"runnable, waiting for a CPU", "", false},
	[STEP_NO_WAKER] = {"unknown: waker not recorded", "", false},
	[STEP_NOT_ENDED] = {"not ended", "", false},
	[STEP_CYCLE] = {"cycle: this wait is on the way here already", "", false},
	[STEP_TOO_DEEP] = {"not followed: too many hops", "", false},
	[STEP_TOO_MUCH] = {"not followed: too much work", "", false},
};

static void write_owner(const struct chains_view *view, const struct step *step, FILE *out)
{
	const char *comm = view->names.comms[step->comm];

	printable_write(out, comm, strlen(comm));
	if (view->context->settings->per_process) {
		(void)fputs(" (", out);
		task_names_write_process(&view->names, step->process, out);
		(void)fputc(')', out);
	}
}

/* " in pipe_read (produce)", or nothing. */
static void write_place(const struct chains_view *view, struct place place, FILE *out)
{
	if (!place.kernel && !place.user)
		return;
	(void)fputs(" in ", out);
	place_write(&view->places, place, out);
}

/* "woken by B in futex_wake (unlock), which was blocked in pipe_read  (240.0ms)" */
static void write_step(const struct tree_text *text, const struct call_tree *tree, const struct call_tree_node *node, FILE *out)
{
	const struct chains_view *view = ((const struct step_text *)text)->view;
	const struct step *step = &view->steps.steps.items[node - tree->nodes];
	const struct step_words *row = &words[step->kind];

	(void)fputs(row->begin, out);
	if (row->comm)
		write_owner(view, step, out);
	write_place(view, step->wake, out);
	(void)fputs(row->end, out);
	write_place(view, step->at, out);
	if (step->kind == STEP_RAN_OR_BRIEF)
		(void)fprintf(out, " %" PRIu64, view->totals ? view->totals->least_wait / 1000 : 0);
	(void)fprintf(out, "  (%sms)", figure_milliseconds(node->weight).text);
}

/* ">>> 75.00%  app blocked in futex_wait_queue (lock)  (300.0ms, 3 waits)" */
static void print_target(const struct chains_view *view, uint32_t number)
{
	static const char *const verbs[PROFILE_WAIT_CLASSES] = {[PROFILE_BLOCKED] = "blocked",
								[PROFILE_PREEMPTED] = "preempted",
								[PROFILE_YIELDED] = "yielded",
								[PROFILE_CANCELLED] = "kept awake by a signal",
								[PROFILE_STARTED] = "started"};
	const struct view_settings *settings = view->context->settings;
	const struct call_tree_node *node = &view->tree.nodes[number];
	const struct step *step = &view->steps.steps.items[number];
	uint64_t count = view->steps.counts.items[number];
	FILE *out = view->context->out;

	paint_heading(out, settings->color, ">>>");
	(void)fputc(' ', out);
	paint_percent(out, settings->color, node->weight, view->total);
	(void)fputs("  ", out);
	if (step->kind == STEP_TARGET) {
		write_owner(view, step, out);
		(void)fprintf(out, " %s", verbs[step->wait_class]);
		write_place(view, step->at, out);
	} else {
		(void)fputs(words[step->kind].begin, out);
	}
	(void)fprintf(out, "  (%sms, %" PRIu64 " wait%s)\n", figure_milliseconds(node->weight).text, count,
		      count == 1 ? "" : "s");
}

/* "# followed: the 1000 longest of 52340 waits, 9000.0 ms of 12345.6 ms in all; ..." */
static void print_targets(const struct chains_view *view)
{
	const struct view_settings *settings = view->context->settings;
	FILE *out = view->context->out;

	(void)fputs("# followed: ", out);
	if (view->target_count < view->matched)
		(void)fprintf(out, "the %zu longest of ", view->target_count);
	(void)fprintf(out, "%zu wait%s", view->matched, view->matched == 1 ? "" : "s");
	if (settings->chain_comm) {
		(void)fputs(" of comms that match \"", out);
		printable_write(out, settings->chain_target, strlen(settings->chain_target));
		(void)fputc('"', out);
	} else if (settings->chain_target) {
		(void)fprintf(out, " of thread %" PRIu32, settings->chain_tid);
	}
	(void)fprintf(out, ", %s ms", figure_milliseconds(view->target_weight).text);
	if (view->target_count < view->matched)
		(void)fprintf(out, " of %s ms", figure_milliseconds(view->matched_weight).text);
	(void)fputs("; percentages are of that time\n", out);
	if (view->open)
		(void)fprintf(out, "# not among them, as they had not ended: %zu wait%s, %s ms\n", view->open,
			      view->open == 1 ? "" : "s", figure_milliseconds(view->open_weight).text);
	if (settings->filters[0])
		(void)fputs("# waits that the filters left out are missing from the ways, too, and look as if their tasks had run\n", out);
}

/* Nothing is left out without a word. */
static void print_hidden(const struct chains_view *view, size_t shown, const struct tree_hidden *hidden)
{
	const struct call_tree_node *root = &view->tree.nodes[0];
	uint64_t weight = 0, least = view->context->settings->min_share;
	FILE *out = view->context->out;

	for (size_t i = shown; i < root->child_count; i++)
		weight += view->tree.nodes[view->tree.children[root->first_child + i]].weight;
	if (shown < root->child_count)
		(void)fprintf(out, "# targets not shown: %zu, %s%% in all\n", root->child_count - shown,
			      figure_percent(weight, view->total).text);
	if (hidden->branches)
		(void)fprintf(out, "# branches below %s%% not shown: %" PRIu64 ", %s%% in all\n",
			      figure_percent(least, 1000000).text, hidden->branches,
			      figure_percent(hidden->weight, view->total).text);
	if (view->sampled)
		(void)fprintf(out, "# estimated from single moments, as more is too much work: %s%%\n",
			      figure_percent(view->sampled, view->total).text);
	if (view->steps.too_much)
		(void)fprintf(out, "# not followed to the end, as it is too much work: %s%%; a narrower target or --time helps\n",
			      figure_percent(view->steps.too_much, view->total).text);
}

/* Targets are heaviest first: how many of them are shown. */
static size_t shown_targets(const struct chains_view *view)
{
	const struct view_settings *settings = view->context->settings;
	const struct call_tree_node *root = &view->tree.nodes[0];
	size_t shown = 0;

	while (shown < root->child_count && (!settings->max_groups || shown < settings->max_groups) &&
	       figure_reaches(view->tree.nodes[view->tree.children[root->first_child + shown]].weight, view->total,
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
		uint32_t number = view->tree.children[view->tree.nodes[0].first_child + i];

		(void)fputc('\n', out);
		print_target(view, number);
		if (view->tree.nodes[number].child_count)
			(void)fputs("    |\n", out);
		r = tree_print(view->context, &text.text, &view->tree, number, view->total, &hidden);
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

int chains_section(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	_cleanup_(chains_view_deinit) struct chains_view view;
	int r = chains_view_init(&view, context, number);

	if (r < 0)
		return r;
	if (source->samples)
		print_targets(&view);
	return print_ways(&view);
}
