/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/printable.h"
#include "report/profile/seam/figures.h"
#include "report/view/look/chain.h"
#include "report/view/look/functions.h"
#include "report/view/stack/histogram.h"
#include "report/view/stack/walk_near.h"
#include "report/view/stack/walk_text.h"
#include "report/view/text/frame_list.h"
#include "report/view/text/object_text.h"
#include "report/view/text/page.h"
#include "report/view/text/wait_text.h"

struct task_view {
	const struct view_context *context;
	struct functions *functions;
	struct chain chain;
	const struct profile_walk *walks;
	const struct profile_walk_task *rows;
	const struct profile_task *tasks;
	struct waits waits; /* for what they slept for */
	struct walk_holders holders;
	size_t walk_count, row_count;
	bool several_hosts;
	uint32_t *order; /* rows by walk, then wait */
};

static void task_view_deinit(struct task_view *view)
{
	functions_destroy(view->functions);
	walk_holders_deinit(&view->holders);
	chain_deinit(&view->chain);
	free(view->order);
}

/* The longest wait is last, next to the prompt. */
static int compare_rows(const void *left, const void *right, void *context)
{
	const struct task_view *view = context;
	uint32_t left_number = *(const uint32_t *)left, right_number = *(const uint32_t *)right;
	const struct profile_walk_task *l = &view->rows[left_number], *r = &view->rows[right_number];
	uint64_t left_wait = l->bound == WAIT_NONE ? 0 : l->wait;
	uint64_t right_wait = r->bound == WAIT_NONE ? 0 : r->wait;

	if (l->walk != r->walk)
		return l->walk < r->walk ? -1 : 1;
	if (left_wait != right_wait)
		return left_wait < right_wait ? -1 : 1;
	if (view->tasks[l->task].tid != view->tasks[r->task].tid)
		return view->tasks[l->task].tid < view->tasks[r->task].tid ? -1 : 1;
	return (left_number > right_number) - (left_number < right_number);
}

/* Looks up the names of all functions, to find those that need their module. */
static int find_names(struct task_view *view)
{
	for (size_t i = 0; i < view->row_count; i++) {
		int r = chain_read(&view->chain, view->context->profile, view->rows[i].node);

		for (size_t n = 0; !r && n < view->chain.frames.count; n++) {
			uint32_t function;

			r = functions_find(view->functions, view->chain.frames.items[n], &function);
		}
		if (r < 0)
			return r;
	}
	return 0;
}

static bool has_several_hosts(const struct profile_walk *walks, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (walks[i].host != walks[0].host)
			return true;
	return false;
}

static int task_view_init(struct task_view *view, const struct view_context *context)
{
	size_t task_count;
	int r;

	*view = (struct task_view){.context = context};
	view->walk_count = profile_walks(context->profile, &view->walks);
	view->several_hosts = has_several_hosts(view->walks, view->walk_count);
	view->row_count = profile_walk_tasks(context->profile, &view->rows);
	view->tasks = profile_tasks(context->profile, &task_count);
	r = waits_init(&view->waits, context->profile);
	if (!r)
		r = walk_holders_init(&view->holders, context->profile);
	if (!r)
		r = functions_create(context->profile, FUNCTIONS_BY_ADDRESS, "[no kernel stack]", &view->functions);
	if (r < 0)
		return r;
	view->order = calloc(view->row_count + 1, sizeof(*view->order));
	if (!view->order)
		return -ENOMEM;
	for (size_t i = 0; i < view->row_count; i++)
		view->order[i] = (uint32_t)i;
	qsort_r(view->order, view->row_count, sizeof(*view->order), compare_rows, view);
	return find_names(view);
}

static void print_text(const struct view_context *context, const char *text, size_t length)
{
	printable_write(context->out, text, length);
}

static void print_wait(FILE *out, const struct profile_walk_task *row)
{
	if (row->bound != WAIT_NONE)
		(void)fprintf(out, "wait %s%s", row->bound == WAIT_AT_LEAST ? "≥" : "", figure_seconds(row->wait).text);
	else
		(void)fputs("wait -", out);
}

/* "comm kworker/0:1 pid 12345 state D wait 5.23 queue CPU 0", "..., in rename on rwsem #3 (held by mv 31630)" */
static void print_head(const struct task_view *view, const struct profile_walk_task *row)
{
	const struct view_context *context = view->context;
	const struct profile_task *task = &view->tasks[row->task];
	const struct profile_wait wait = profile_walk_wait(row);
	FILE *out = context->out;

	(void)fputs("comm ", out);
	print_text(context, task->comm, strlen(task->comm));
	(void)fprintf(out, " pid %" PRIu32 " state ", task->tid);
	print_text(context, row->state, strnlen(row->state, sizeof(row->state)));
	(void)fputc(' ', out);
	print_wait(out, row);
	(void)fprintf(out, " queue CPU %" PRIu32, row->cpu);
	if (row->iowait)
		(void)fputs(" iowait", out);
	if (task->tgid != task->tid)
		(void)fprintf(out, " tgid %" PRIu32, task->tgid);
	wait_write_object(out, ", ", &view->waits, &wait);
	(void)fputc('\n', out);
}

/* Says which frames are missing, and why. */
static void print_notes(const struct task_view *view, const struct profile_walk_task *row)
{
	FILE *out = view->context->out;

	if (row->flags & CHAIN_KERNEL_TRUNCATED)
		(void)fputs("    [cut at the depth limit]\n", out);
	if (row->flags & CHAIN_USER_TRUNCATED)
		(void)fputs("    [user stack cut]\n", out);
	if (row->no_user)
		(void)fprintf(out, "    [no user stack: %s]\n", row->no_user);
}

static int print_stack(struct task_view *view, const struct profile_walk_task *row)
{
	const struct view_settings *settings = view->context->settings;
	const struct frame_style style = frame_list_style(settings);
	FILE *out = view->context->out;
	int r = chain_read(&view->chain, view->context->profile, row->node);

	if (r < 0)
		return r;
	if (row->on_cpu) {
		(void)fprintf(out, "    [running on CPU %" PRIu32 "]\n", row->cpu);
		return 0;
	}
	if (!view->chain.kernel_count && !settings->user_only)
		(void)fprintf(out, "    %s\n", functions_name(view->functions, FUNCTION_NONE));
	for (size_t i = 0; i < view->chain.frames.count; i++) {
		(void)fputs("    ", out);
		functions_write_frame(view->functions, view->chain.frames.items[i], style, out);
		(void)fputc('\n', out);
	}
	if (!view->chain.frames.count && settings->user_only)
		(void)fprintf(out, "    %s\n", page_no_frames(settings));
	print_notes(view, row);
	return 0;
}

/* "=== 2026-11-21 08:59:02 ===", in UTC: the same trace reads the same everywhere. */
static void print_walk_heading(const struct task_view *view, const struct profile_walk *walk)
{
	FILE *out = view->context->out;

	(void)fprintf(out, "\n=== %s ===", figure_date(walk->realtime).text);
	if (view->several_hosts)
		(void)fprintf(out, " host %" PRIu32, walk->host);
	(void)fputc('\n', out);
}

/* Prints the rows of one walk, from *next on. */
static int print_walk(struct task_view *view, uint32_t number, size_t *next)
{
	FILE *out = view->context->out;
	size_t first = *next;

	for (; *next < view->row_count && view->rows[view->order[*next]].walk == number; (*next)++) {
		const struct profile_walk_task *row = &view->rows[view->order[*next]];
		int r;

		(void)fputc('\n', out);
		print_head(view, row);
		walk_write_holders(out, &view->waits, &view->holders, view->order[*next]);
		r = print_stack(view, row);
		if (r < 0)
			return r;
	}
	if (*next == first)
		(void)fprintf(out, "\nno task was found in this walk; %" PRIu64 " were seen\n",
			      view->walks[number].seen);
	return 0;
}

static int show_tasks(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	_cleanup_(task_view_deinit) struct task_view view;
	int r = task_view_init(&view, context);
	size_t next = 0;

	for (uint32_t walk = 0; !r && walk < view.walk_count; walk++) {
		if (view.walk_count > 1)
			print_walk_heading(&view, &view.walks[walk]);
		r = print_walk(&view, walk, &next);
	}
	if (r < 0)
		return r;
	if (view.row_count) {
		(void)fputs("\n# common stacks\n", context->out);
		r = histogram_print(context, number, source);
	}
	(void)fputc('\n', context->out);
	return r;
}

const struct view tasks_view = {
	VIEW_OPTION("tasks", .help = "tasks that were walked, longest wait last", .often = true),
	.print = show_tasks, .kinds = VIEW_WALKED,
};

/* "# walk 2 of 5, from +1.000 s on, 3.000 ms after that moment", and its rows. */
static int print_near(struct task_view *view, uint32_t number, const struct profile_walk *first, size_t count)
{
	const struct profile_walk *walk = &view->walks[number];
	const struct walk_near near = walk_near(walk, first, &view->context->settings->at);
	FILE *out = view->context->out;
	size_t next = 0;

	(void)fprintf(out, "\n# walk %zu of %zu, from +%s s on", (size_t)(walk - first) + 1, count,
		      figure_seconds(walk->time - first->time).text);
	(void)fprintf(out, ", %s %s that moment", wait_figure(near.distance).text,
		      near.after ? "after" : "before");
	print_walk_heading(view, walk);
	while (next < view->row_count && view->rows[view->order[next]].walk < number)
		next++;
	return print_walk(view, number, &next);
}

/* Prints the nearest walk of one recording, and others within the time around the moment. */
static int print_moment(struct task_view *view, uint32_t first, uint32_t end)
{
	const struct view_settings *settings = view->context->settings;
	const struct profile_walk *walks = &view->walks[first];
	const size_t nearest = walk_nearest(walks, end - first, &settings->at);
	int r = 0;

	if (nearest == end - first)
		(void)fputs("\n# it is not known when that was: the walks have no dates\n", view->context->out);
	for (uint32_t i = 0; i < end - first && !r; i++) {
		const struct walk_near near = walk_near(&walks[i], walks, &settings->at);

		if (i == nearest || (near.known && near.distance <= settings->at_around))
			r = print_near(view, first + i, walks, end - first);
	}
	return r;
}

static int show_tasks_at(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	_cleanup_(task_view_deinit) struct task_view view;
	int r = task_view_init(&view, context);

	(void)number;
	(void)source;
	for (uint32_t first = 0, end; !r && first < view.walk_count; first = end) {
		end = first + 1;
		while (end < view.walk_count && view.walks[end].scope == view.walks[first].scope)
			end++;
		r = print_moment(&view, first, end);
	}
	(void)fputc('\n', context->out);
	return r;
}

const struct view tasks_at_view = {
	VIEW_NAME("at"),
	.print = show_tasks_at, .kinds = VIEW_WALKED,
};
