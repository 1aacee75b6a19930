/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/stack/histogram.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/hash_map.h"
#include "common/plural.h"
#include "common/sorted.h"
#include "report/profile/seam/figures.h"
#include "report/view/look/chain.h"
#include "report/view/look/functions.h"
#include "report/view/look/rows.h"
#include "report/view/text/comm_list.h"
#include "report/view/text/frame_list.h"
#include "report/view/text/page.h"
#include "report/view/text/paint.h"

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
	r = functions_create(context->profile, FUNCTIONS_BY_ADDRESS, none, &histogram->functions);
	if (!r)
		r = task_names_init(&histogram->names, context->profile);
	if (!r)
		r = comm_list_init(&histogram->comms, &histogram->names);
	if (!r)
		r = rows_init(&histogram->rows, context->profile, number, context->only);
	if (!r)
		r = hash_map_init(&histogram->by_frames);
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

	if (bucket_of[l] != bucket_of[r])
		return bucket_of[l] < bucket_of[r] ? -1 : 1;
	return (l > r) - (l < r);
}

static int compare_buckets(const void *left, const void *right)
{
	const struct bucket *l = left, *r = right;

	if (l->weight != r->weight)
		return l->weight > r->weight ? -1 : 1;
	return (l->first_row > r->first_row) - (l->first_row < r->first_row);
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
	const struct view_settings *settings = histogram->context->settings;
	const struct frame_style style = frame_list_style(settings);
	FILE *out = histogram->context->out;
	int r = chain_read(&histogram->chain, histogram->context->profile,
			   histogram->rows.items[bucket->first_row].node);

	if (r < 0)
		return r;
	for (size_t i = 0; i < histogram->chain.frames.count && i < FRAMES; i++) {
		(void)fputs("    ", out);
		functions_write_frame(histogram->functions, histogram->chain.frames.items[i], style, out);
		(void)fputc('\n', out);
	}
	if (!histogram->chain.frames.count)
		(void)fprintf(out, "    %s\n", functions_name(histogram->functions, FUNCTION_NONE));
	if (bucket->deeper)
		(void)fputs("    ...\n", out);
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

int histogram_print(const struct view_context *context, uint32_t number, const struct profile_source *source)
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
