/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --histogram, --tasks, and --at for walks. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/hash_map.h"
#include "common/printable.h"
#include "report/profile/figures.h"
#include "report/profile/profile.h"
#include "report/view/frame_text.h"
#include "report/view/functions.h"
#include "report/view/groups.h"
#include "report/view/object_text.h"
#include "report/view/page.h"
#include "report/view/task_names.h"
#include "report/view/view.h"
#include "report/view/wait_text.h"

/* --- histogram --- */

/*
 * The most common stacks: rows that share the six leaf-most frames, most frequent first.
 *
 *	12 hits state D,S comms jbd2, dd (+2 more)
 *	    rwsem_down_write_slowpath
 *	    ...
 *
 * Below --tasks all are shown. As a view of its own it only counts those below the least share.
 */

enum { FRAMES = 6, COMMS_SHOWN = 10, STATES = 16 /* there are fewer letters */ };

struct bucket {
	uint64_t samples, weight;
	size_t first_row; /* represents all */
	size_t number;	  /* in the order in which they were found */
	bool deeper;	  /* a chain continues beyond the frames */
};

struct histogram {
	const struct view_context *context;
	const struct profile_source *source;
	struct functions *functions;
	struct task_names names;
	struct comm_list comms;
	struct rows rows;
	struct chain chain;
	struct hash_map by_frames;
	ARRAY(struct bucket) buckets;
	size_t *bucket_of; /* by row, as found */
	size_t *row_order; /* rows by bucket */
};

static void histogram_deinit(struct histogram *histogram)
{
	array_free(&histogram->buckets);
	hash_map_deinit(&histogram->by_frames);
	chain_deinit(&histogram->chain);
	rows_deinit(&histogram->rows);
	comm_list_deinit(&histogram->comms);
	task_names_deinit(&histogram->names);
	functions_destroy(histogram->functions);
	free(histogram->bucket_of);
	free(histogram->row_order);
}

static int histogram_init(struct histogram *histogram, const struct view_context *context, uint32_t number,
			  const struct profile_source *source)
{
	bool walked = source->kind == PROFILE_TASKS && !context->settings->user_only;
	const char *none = walked ? "[no kernel stack]" : page_no_frames(context->settings);
	int r;

	*histogram = (struct histogram){.context = context, .source = source};
	r = functions_create(context->profile, FUNCTIONS_BY_ADDRESS, none, &histogram->functions) ?:
	    task_names_init(&histogram->names, context->profile) ?:
	    comm_list_init(&histogram->comms, &histogram->names) ?:
	    rows_init(&histogram->rows, context->profile, number, context->only) ?:
	    hash_map_init(&histogram->by_frames);
	if (r < 0)
		return r;
	histogram->bucket_of = calloc(histogram->rows.count + 1, sizeof(size_t));
	histogram->row_order = calloc(histogram->rows.count + 1, sizeof(size_t));
	return histogram->bucket_of && histogram->row_order ? 0 : -ENOMEM;
}

/* The identity of a chain: functions, or frames if addresses are shown. */
static int key_of(struct histogram *histogram, const struct row *row, uint32_t key[static FRAMES],
		  size_t *ret_count)
{
	const struct view_settings *settings = histogram->context->settings;
	int r = chain_read(&histogram->chain, histogram->context->profile, row->node);
	size_t count;

	if (r < 0)
		return r;
	count = histogram->chain.frames.count < FRAMES ? histogram->chain.frames.count : FRAMES;
	for (size_t i = 0; i < count; i++) {
		r = functions_find(histogram->functions, histogram->chain.frames.items[i], &key[i]);
		if (r < 0)
			return r;
		if (settings->addresses || settings->offsets)
			key[i] = histogram->chain.frames.items[i];
	}
	*ret_count = count;
	return 0;
}

static int add_row(struct histogram *histogram, size_t number)
{
	const struct row *row = &histogram->rows.items[number];
	struct bucket *bucket;
	uint32_t key[FRAMES];
	uint64_t *found;
	size_t count;
	int r = key_of(histogram, row, key, &count);

	if (r < 0)
		return r;
	r = hash_map_add(&histogram->by_frames, key, count * sizeof(*key), histogram->buckets.count, &found);
	if (r < 0)
		return r;
	histogram->bucket_of[number] = (size_t)*found;
	if (r > 0 && array_push(&histogram->buckets,
				(struct bucket){.first_row = number, .number = (size_t)*found}) < 0)
		return -ENOMEM;
	bucket = &histogram->buckets.items[histogram->bucket_of[number]];
	bucket->samples += row->samples;
	bucket->weight += row->weight;
	bucket->deeper |= histogram->chain.frames.count > FRAMES;
	return 0;
}

static int compare_rows(const void *left, const void *right, void *context)
{
	const size_t *bucket_of = context;
	size_t l = *(const size_t *)left, r = *(const size_t *)right;

	return COMPARE(bucket_of[l], bucket_of[r]) ?: COMPARE(l, r);
}

static int compare_buckets(const void *left, const void *right)
{
	const struct bucket *l = left, *r = right;

	return COMPARE(r->weight, l->weight) ?: COMPARE(l->first_row, r->first_row);
}

static int fill(struct histogram *histogram)
{
	for (size_t i = 0; i < histogram->rows.count; i++) {
		int r = add_row(histogram, i);

		if (r < 0)
			return r;
		histogram->row_order[i] = i;
	}
	qsort_r(histogram->row_order, histogram->rows.count, sizeof(size_t), compare_rows,
		histogram->bucket_of);
	if (histogram->buckets.count)
		qsort(histogram->buckets.items, histogram->buckets.count, sizeof(struct bucket),
		      compare_buckets);
	return 0;
}

/* The bucket's rows in row_order. */
static size_t first_of(const struct histogram *histogram, const struct bucket *bucket)
{
	const size_t *order = histogram->row_order;

	return SORTED_FIRST(i, histogram->rows.count, histogram->bucket_of[order[i]] >= bucket->number);
}

static void add_state(char states[static STATES + 1], char state)
{
	size_t count = strlen(states);

	if (state && count < STATES && !strchr(states, state)) {
		states[count] = state;
		states[count + 1] = '\0';
	}
}

/* "12 hits state D,S comms a, b" or "12 hits 5.20% comms a, b" */
static void print_head(struct histogram *histogram, const struct bucket *bucket)
{
	FILE *out = histogram->context->out;
	char states[STATES + 1] = "";

	for (size_t i = first_of(histogram, bucket); i < histogram->rows.count; i++) {
		const struct row *row = &histogram->rows.items[histogram->row_order[i]];

		if (histogram->bucket_of[histogram->row_order[i]] != bucket->number)
			break;
		add_state(states, row->state);
		comm_list_add(&histogram->comms, row->task, row->weight);
	}
	(void)fprintf(out, "%" PRIu64 " hit%s ", bucket->samples, plural(bucket->samples));
	if (states[0]) {
		(void)fputs("state ", out);
		for (size_t i = 0; states[i]; i++)
			(void)fprintf(out, "%s%c", i ? "," : "",
				      states[i] >= ' ' && states[i] < 0x7f ? states[i] : '?');
	} else {
		paint_percent(out, histogram->context->settings->color, bucket->weight,
			      page_total(histogram->source));
	}
	(void)fputs(" comms ", out);
	comm_list_write(&histogram->comms, COMMS_SHOWN, out);
	(void)fputc('\n', out);
}

static int print_frames(struct histogram *histogram, const struct bucket *bucket)
{
	const struct view_context *context = histogram->context;
	const struct chain *chain = &histogram->chain;
	int r = chain_read(&histogram->chain, context->profile, histogram->rows.items[bucket->first_row].node);

	if (r < 0)
		return r;
	for (size_t i = 0; i < chain->frames.count && i < FRAMES; i++)
		frame_list_write_one(context, histogram->functions, chain->frames.items[i]);
	if (!chain->frames.count)
		frame_list_write_none(context, histogram->functions);
	if (bucket->deeper)
		(void)fputs("    ...\n", context->out);
	return 0;
}

/* The number of buckets shown; they are sorted, most frequent first. All are shown for walked tasks. */
static size_t shown_buckets(const struct histogram *histogram)
{
	const struct view_settings *settings = histogram->context->settings;
	uint64_t least = histogram->source->kind == PROFILE_TASKS ? 0 : settings->min_share;
	uint64_t total = page_total(histogram->source);
	size_t shown = 0;

	while (shown < histogram->buckets.count && (!settings->max_groups || shown < settings->max_groups) &&
	       figure_reaches(histogram->buckets.items[shown].weight, total, least))
		shown++;
	return shown;
}

static void print_hidden(const struct histogram *histogram, size_t shown)
{
	uint64_t weight = 0;

	for (size_t i = shown; i < histogram->buckets.count; i++)
		weight += histogram->buckets.items[i].weight;
	if (shown < histogram->buckets.count)
		(void)fprintf(histogram->context->out, "\n# stacks not shown: %zu, %s%% in all\n",
			      histogram->buckets.count - shown,
			      figure_percent(weight, page_total(histogram->source)).text);
}

static int histogram_print(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	_cleanup_(histogram_deinit) struct histogram histogram;
	int r = histogram_init(&histogram, context, number, source);
	size_t shown;

	if (!r)
		r = fill(&histogram);
	if (r < 0)
		return r;
	shown = shown_buckets(&histogram);
	for (size_t i = 0; i < shown; i++) {
		(void)fputc('\n', context->out);
		print_head(&histogram, &histogram.buckets.items[i]);
		r = print_frames(&histogram, &histogram.buckets.items[i]);
		if (r < 0)
			return r;
	}
	print_hidden(&histogram, shown);
	return 0;
}

static int show_histogram(const struct view_context *context, uint32_t number,
			  const struct profile_source *source)
{
	int r = histogram_print(context, number, source);

	if (!r && source->samples)
		(void)fputc('\n', context->out);
	return r;
}

const struct view histogram_view = {
	VIEW_OPTION("histogram", .help = "the common stacks by their six leaf-most frames"),
	.print = show_histogram, .kinds = VIEW_ANY_KIND, .by = true,
};

/* --- the walk nearest to a moment --- */

#define DAY UINT64_C(86400000000000)

struct walk_near {
	bool known; /* false: a date was given, and the walk's is not known */
	bool after; /* it began after the moment */
	uint64_t distance; /* ns from the moment */
};

static struct walk_near between(uint64_t at, uint64_t moment)
{
	return (struct walk_near){true, at > moment, at > moment ? at - moment : moment - at};
}

/* `first`: the first walk of the same recording, from which offsets count. */
static struct walk_near walk_near(const struct profile_walk *walk, const struct profile_walk *first,
				  const struct profile_moment *moment)
{
	struct walk_near near;

	if (moment->kind == PROFILE_MOMENT_OFFSET)
		return between(walk->time - first->time, moment->ns);
	if (!walk->realtime)
		return (struct walk_near){0};
	if (moment->kind == PROFILE_MOMENT_WALL)
		return between(walk->realtime, moment->ns);
	near = between(walk->realtime % DAY, moment->ns);
	if (near.distance > DAY / 2) /* midnight is between them */
		near = (struct walk_near){true, !near.after, DAY - near.distance};
	return near;
}

/* The number of the nearest of a recording's walks; the earlier one of two. `count` if none is known. */
static size_t walk_nearest(const struct profile_walk *walks, size_t count, const struct profile_moment *moment)
{
	uint64_t least = UINT64_MAX;
	size_t nearest = count;

	for (size_t i = 0; i < count; i++) {
		const struct walk_near near = walk_near(&walks[i], &walks[0], moment);

		if (!near.known || near.distance >= least)
			continue;
		least = near.distance;
		nearest = i;
	}
	return nearest;
}

/* --- tasks --- */

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
static int tasks_compare_rows(const void *left, const void *right, void *context)
{
	const struct task_view *view = context;
	uint32_t left_number = *(const uint32_t *)left, right_number = *(const uint32_t *)right;
	const struct profile_walk_task *l = &view->rows[left_number], *r = &view->rows[right_number];
	uint64_t left_wait = l->bound == WAIT_NONE ? 0 : l->wait;
	uint64_t right_wait = r->bound == WAIT_NONE ? 0 : r->wait;

	return COMPARE(l->walk, r->walk) ?: COMPARE(left_wait, right_wait) ?:
	       COMPARE(view->tasks[l->task].tid, view->tasks[r->task].tid) ?: COMPARE(left_number, right_number);
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
	r = waits_init(&view->waits, context->profile) ?:
	    walk_holders_init(&view->holders, context->profile) ?:
	    functions_create(context->profile, FUNCTIONS_BY_ADDRESS, "[no kernel stack]", &view->functions);
	if (r < 0)
		return r;
	view->order = calloc(view->row_count + 1, sizeof(*view->order));
	if (!view->order)
		return -ENOMEM;
	for (size_t i = 0; i < view->row_count; i++)
		view->order[i] = (uint32_t)i;
	qsort_r(view->order, view->row_count, sizeof(*view->order), tasks_compare_rows, view);
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
static void tasks_print_head(const struct task_view *view, const struct profile_walk_task *row)
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
	FILE *out = view->context->out;
	int r = chain_read(&view->chain, view->context->profile, row->node);

	if (r < 0)
		return r;
	if (row->on_cpu) {
		(void)fprintf(out, "    [running on CPU %" PRIu32 "]\n", row->cpu);
		return 0;
	}
	if (!view->chain.kernel_count && !settings->user_only)
		frame_list_write_none(view->context, view->functions);
	for (size_t i = 0; i < view->chain.frames.count; i++)
		frame_list_write_one(view->context, view->functions, view->chain.frames.items[i]);
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
		tasks_print_head(view, row);
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
