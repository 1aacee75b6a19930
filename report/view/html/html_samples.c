/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The single samples of a page, by source, recording and time. Wakeups are the ends of waits, which the page has: they
 * are samples only where the waits were not requested.
 */
#include <errno.h>
#include <stdlib.h>

#include "report/view/html/html.h"

enum { PARTS = COLUMN_SAMPLE_WEIGHT + 1 - COLUMN_SAMPLE_RUNS };

struct sampled { /* one source */
	struct column parts[PARTS]; /* COLUMN_SAMPLE_RUNS and the following */
	uint32_t recording;	    /* of the run that is being written */
	uint64_t length;	    /* of that run */
	int64_t time;		    /* of the last sample */
};

static struct column *part(struct sampled *sampled, enum column_number number)
{
	return &sampled->parts[number - COLUMN_SAMPLE_RUNS];
}

static bool is_sample(const struct html_page *page, const struct profile_event *event)
{
	return event->kind == PROFILE_EVENT_SAMPLE ||
	       (event->kind == PROFILE_EVENT_WAKEUP && !page->reader.waits.count);
}

static void end_run(struct sampled *sampled, uint32_t source)
{
	if (!sampled->length)
		return;
	column_add(part(sampled, COLUMN_SAMPLE_RUNS), source);
	column_add(part(sampled, COLUMN_SAMPLE_RUNS), sampled->recording);
	column_add(part(sampled, COLUMN_SAMPLE_RUNS), sampled->length);
	sampled->length = 0;
	sampled->time = 0;
}

static void write_sample(struct html_page *page, struct sampled *sampled, const struct profile_event *event,
			 bool weights)
{
	int64_t time = html_ticks(page, event->recording, event->time);

	if (sampled->length && sampled->recording != event->recording)
		end_run(sampled, event->source);
	sampled->recording = event->recording;
	sampled->length++;
	column_add_signed(part(sampled, COLUMN_SAMPLE_TIME), time - sampled->time);
	sampled->time = time;
	column_add(part(sampled, COLUMN_SAMPLE_TASK), page->tasks.number_of[event->task]);
	column_add(part(sampled, COLUMN_SAMPLE_STACK), stacks_find(&page->stacks, event->node));
	column_add(part(sampled, COLUMN_SAMPLE_CPU), event->cpu == PROFILE_NO_CPU ? 0 : event->cpu + 1U);
	if (page->reader.probe_count)
		column_add(part(sampled, COLUMN_SAMPLE_PROBE),
			   event->probe == PROFILE_NO_PROBE ? 0 : event->probe + 1);
	if (weights)
		column_add(part(sampled, COLUMN_SAMPLE_WEIGHT), event->weight);
}

/* Whether the samples of a source differ in weight, or their weight is not its share of the source's. */
static int have_weights(struct html_page *page, bool *ret_weights)
{
	const struct profile_source *sources = page->reader.sources;
	struct profile_event event;
	int r;

	*ret_weights = false;
	event_reader_rewind(&page->reader);
	while ((r = event_reader_next(&page->reader, &event)) > 0 && !*ret_weights) {
		const struct profile_source *source = &sources[event.source];

		if (is_sample(page, &event))
			*ret_weights = event.weight != source->weight / (source->samples ? source->samples : 1) ||
				       source->weight % (source->samples ? source->samples : 1);
	}
	return r < 0 ? r : 0;
}

static int write_samples(struct html_page *page, struct sampled *sampled)
{
	struct profile_event event;
	bool weights;
	int r = have_weights(page, &weights);

	if (r < 0)
		return r;
	event_reader_rewind(&page->reader);
	while ((r = event_reader_next(&page->reader, &event)) > 0)
		if (is_sample(page, &event))
			write_sample(page, &sampled[event.source], &event, weights);
	return r;
}

int html_write_samples(struct html_page *page)
{
	size_t count = page->reader.source_count;
	struct sampled *sampled = calloc(count + 1, sizeof(*sampled));
	int r = 0;

	columns_clear(&page->columns, COLUMN_SAMPLE_RUNS, COLUMN_SAMPLE_WEIGHT + 1);
	if (!sampled)
		return -ENOMEM;
	if (!page->limit.no_samples)
		r = write_samples(page, sampled);
	for (uint32_t source = 0; source < count; source++) {
		end_run(&sampled[source], source);
		for (unsigned int i = 0; i < PARTS; i++)
			column_take(html_column(page, COLUMN_SAMPLE_RUNS + i), &sampled[source].parts[i]);
	}
	free(sampled);
	return r;
}
