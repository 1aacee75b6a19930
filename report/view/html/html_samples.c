/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The single samples of a page, by source, recording, CPU and time. This order takes the fewest
 * bytes: the next sample of a CPU comes one step later, mostly of the same thread. Wakeups are the
 * ends of waits, which the page has: they are samples only if the waits were not requested.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/hash_map.h"
#include "report/view/html/html.h"

struct sample {
	int64_t time;
	uint64_t weight;
	uint32_t series, task, stack, probe;
};

struct series { /* the samples of a CPU; without padding, because it is a key */
	uint32_t source, recording, cpu, number;
};

enum { SERIES_KEY = 3 * sizeof(uint32_t) };

struct spell { /* consecutive samples of one task in a series */
	uint32_t series; /* plus 1 */
	uint32_t number;
};

struct sampled {
	struct html_page *page;
	struct hash_map known; /* series */
	ARRAY(struct series) series;
	ARRAY(struct sample) samples;
	uint64_t *counts, *weights; /* by source */
	bool differ; /* samples of a source differ in weight, or their weight is not an equal share of the source's */
	struct spell *last; /* by task of the page */
	uint32_t newest; /* the last task written as new */
};

static bool is_sample(const struct html_page *page, const struct profile_event *event)
{
	return event->kind == PROFILE_EVENT_SAMPLE ||
	       (event->kind == PROFILE_EVENT_WAKEUP && !page->reader.waits.count);
}

static int sampled_init(struct sampled *sampled, struct html_page *page)
{
	int r;

	*sampled = (struct sampled){.page = page};
	r = hash_map_init(&sampled->known);
	sampled->counts = calloc(page->reader.source_count + 1, sizeof(*sampled->counts));
	sampled->weights = calloc(page->reader.source_count + 1, sizeof(*sampled->weights));
	sampled->last = calloc(page->tasks.count + 1, sizeof(*sampled->last));
	return r < 0 || !sampled->counts || !sampled->weights || !sampled->last ? -ENOMEM : 0;
}

static void sampled_deinit(struct sampled *sampled)
{
	hash_map_deinit(&sampled->known);
	array_free(&sampled->series);
	array_free(&sampled->samples);
	free(sampled->counts);
	free(sampled->weights);
	free(sampled->last);
}

/* --- gathering --- */

static int find_series(struct sampled *sampled, const struct profile_event *event, uint32_t *ret_series)
{
	struct series key = {event->source, event->recording, event->cpu == PROFILE_NO_CPU ? 0 : event->cpu + 1U,
			     (uint32_t)sampled->series.count};
	uint64_t *number;
	int r;

	if (sampled->samples.count) {
		*ret_series = sampled->samples.items[sampled->samples.count - 1].series;
		if (!memcmp(&sampled->series.items[*ret_series], &key, SERIES_KEY))
			return 0;
	}
	r = hash_map_add(&sampled->known, &key, SERIES_KEY, key.number, &number);
	if (r < 0)
		return r;
	*ret_series = (uint32_t)*number;
	return r > 0 ? array_push(&sampled->series, key) : 0;
}

static int gather_one(struct sampled *sampled, const struct profile_event *event)
{
	struct html_page *page = sampled->page;
	const struct profile_source *source = &page->reader.sources[event->source];
	uint64_t samples = source->samples ? source->samples : 1;
	struct sample sample = {.time = html_ticks(page, event->recording, event->time),
				.weight = event->weight,
				.task = page->tasks.number_of[event->task],
				.stack = stacks_find(&page->stacks, event->node),
				.probe = event->probe == PROFILE_NO_PROBE ? 0 : event->probe + 1};
	int r = find_series(sampled, event, &sample.series);

	sampled->counts[event->source]++;
	sampled->weights[event->source] += event->weight;
	sampled->differ |= event->weight != source->weight / samples || source->weight % samples;
	return r < 0 ? r : array_push(&sampled->samples, sample);
}

static int gather(struct sampled *sampled)
{
	struct html_page *page = sampled->page;
	struct profile_event event;
	int r;

	event_reader_rewind(&page->reader);
	while ((r = event_reader_next(&page->reader, &event)) > 0) {
		if (!is_sample(page, &event))
			continue;
		r = gather_one(sampled, &event);
		if (r < 0)
			break;
	}
	return r;
}

/* --- order --- */

static int compare_series(const void *left, const void *right)
{
	const uint32_t *l = left, *r = right;

	for (size_t i = 0; i < SERIES_KEY / sizeof(*l); i++)
		if (l[i] != r[i])
			return l[i] < r[i] ? -1 : 1;
	return 0;
}

/* Groups the samples by series, and keeps their order within each. `ends`: by series; the caller has zeroed it. */
static void sort_samples(const struct sampled *sampled, size_t *ends, uint32_t *order)
{
	size_t begin = 0;

	for (size_t i = 0; i < sampled->samples.count; i++)
		ends[sampled->samples.items[i].series]++;
	for (size_t i = 0; i < sampled->series.count; i++) {
		size_t *end = &ends[sampled->series.items[i].number], count = *end;

		*end = begin;
		begin += count;
	}
	for (size_t i = 0; i < sampled->samples.count; i++)
		order[ends[sampled->samples.items[i].series]++] = (uint32_t)i;
}

/* --- writing --- */

/* 1: the task of the previous sample; n >= 2: that of n spells ago; 0: a task that is new in this series. */
static void write_task(struct sampled *sampled, const struct sample *sample, struct spell *spell, bool same)
{
	struct spell *last = &sampled->last[sample->task];
	struct html_page *page = sampled->page;

	spell->number += !same;
	if (same)
		column_add(html_column(page, COLUMN_SAMPLE_TASK), 1);
	else if (last->series == spell->series)
		column_add(html_column(page, COLUMN_SAMPLE_TASK), spell->number - last->number);
	else
		column_add(html_column(page, COLUMN_SAMPLE_TASK), 0);
	if (last->series != spell->series) {
		column_add_signed(html_column(page, COLUMN_SAMPLE_NEW_TASK),
				  (int64_t)sample->task - sampled->newest);
		sampled->newest = sample->task;
	}
	*last = *spell;
}

static void write_sample(struct sampled *sampled, const struct sample *sample, const struct sample *before,
			 int64_t step)
{
	struct html_page *page = sampled->page;

	column_add_signed(html_column(page, COLUMN_SAMPLE_TIME),
			  before ? sample->time - before->time - step : sample->time);
	column_add(html_column(page, COLUMN_SAMPLE_STACK), sample->stack);
	if (page->reader.probe_count)
		column_add(html_column(page, COLUMN_SAMPLE_PROBE), sample->probe);
	if (sampled->differ)
		column_add(html_column(page, COLUMN_SAMPLE_WEIGHT), sample->weight);
}

/* Writes the samples order[first ... end). */
static void write_series(struct sampled *sampled, const struct series *series, const uint32_t *order, size_t first,
			 size_t end)
{
	struct column *runs = html_column(sampled->page, COLUMN_SAMPLE_RUNS);
	const struct sample *before = NULL;
	struct spell spell = {.series = series->number + 1};
	int64_t step = (int64_t)html_step(sampled->page, series->source);

	column_add(runs, series->source);
	column_add(runs, series->recording);
	column_add(runs, series->cpu);
	column_add(runs, end - first);
	for (size_t i = first; i < end; i++) {
		const struct sample *sample = &sampled->samples.items[order[i]];

		write_sample(sampled, sample, before, step);
		write_task(sampled, sample, &spell, before && before->task == sample->task);
		before = sample;
	}
}

static int write_all(struct sampled *sampled)
{
	_cleanup_free_ size_t *ends = calloc(sampled->series.count + 1, sizeof(*ends));
	_cleanup_free_ uint32_t *order = calloc(sampled->samples.count + 1, sizeof(*order));
	size_t first = 0;

	if (!ends || !order || sampled->samples.count > UINT32_MAX)
		return -ENOMEM;
	if (sampled->series.count)
		qsort(sampled->series.items, sampled->series.count, sizeof(struct series), compare_series);
	sort_samples(sampled, ends, order);
	for (size_t i = 0; i < sampled->series.count; i++) {
		const struct series *series = &sampled->series.items[i];

		write_series(sampled, series, order, first, ends[series->number]);
		first = ends[series->number];
	}
	return 0;
}

uint64_t html_step(const struct html_page *page, uint32_t number)
{
	const struct profile_source *source = &page->reader.sources[number];

	if (source->kind != PROFILE_CPU || !source->samples || strcmp(source->weight_unit, "ns") != 0)
		return 0;
	return (uint64_t)html_cut(source->weight / source->samples / page->unit);
}

/* Finds the sources whose single samples add up to their sums. */
static void find_complete(const struct sampled *sampled)
{
	const struct event_reader *reader = &sampled->page->reader;

	for (size_t i = 0; i < reader->source_count; i++)
		sampled->page->complete[i] = sampled->counts[i] && sampled->counts[i] == reader->sources[i].samples &&
					     sampled->weights[i] == reader->sources[i].weight;
}

int html_write_samples(struct html_page *page)
{
	_cleanup_(sampled_deinit) struct sampled sampled;
	int r = sampled_init(&sampled, page);

	columns_clear(&page->columns, COLUMN_SAMPLE_RUNS, COLUMN_SAMPLE_WEIGHT + 1);
	if (!r && !page->limit.no_samples)
		r = gather(&sampled);
	if (!r)
		r = write_all(&sampled);
	if (!r)
		find_complete(&sampled);
	return r;
}
