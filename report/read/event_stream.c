/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/read/event_stream.h"

#include <string.h>

#include "common/array.h"

/* --- the events of a chunk --- */

static int event_batch_init(struct event_batch *batch)
{
	*batch = (struct event_batch){0};
	return event_decoder_create(&batch->decoder);
}

static void event_batch_deinit(struct event_batch *batch)
{
	if (batch->decoder)
		event_decoder_destroy(batch->decoder);
	array_free(&batch->events);
	array_free(&batch->samples);
	array_free(&batch->walks);
	array_free(&batch->walk_tasks);
	array_free(&batch->waits);
	array_free(&batch->wakes);
	array_free(&batch->user_stacks);
	array_free(&batch->wait_sums);
	free(batch->spare);
	*batch = (struct event_batch){0};
}

static int push_sample(struct event_batch *batch, const struct event_sample *sample)
{
	const struct batch_sample kept = {
		.period = sample->flags & SAMPLE_HAS_PERIOD ? sample->period : 0,
		.task = sample->task,
		.cpu = sample->cpu,
		.kernel = sample->kernel,
		.user = sample->user,
		.probe = sample->flags & SAMPLE_HAS_PROBE ? sample->probe : 0,
		.snapshot = sample->flags & SAMPLE_HAS_SNAPSHOT ? sample->snapshot : 0,
		.source = (uint16_t)sample->source,
		.flags = (uint8_t)sample->flags,
		.missing = (uint8_t)sample->missing,
	};

	return array_push(&batch->samples, kept);
}

/* Adds an event of a kind that is stored as it is. */
#define PUSH(list, record)                                                                         \
	({                                                                                         \
		entry.time = event->record.time;                                                   \
		entry.index = (uint32_t)batch->list.count;                                         \
		array_push(&batch->list, event->record);                                           \
	})

static int push_event(struct event_batch *batch, const struct event *event)
{
	struct batch_event entry = {.kind = event->kind};
	int r;

	switch (event->kind) {
	case EVENT_SAMPLE:
		if (event->sample.source > UINT16_MAX)
			return 0;
		entry.time = event->sample.time;
		entry.index = (uint32_t)batch->samples.count;
		r = push_sample(batch, &event->sample);
		break;
	case EVENT_WALK:
		r = PUSH(walks, walk);
		break;
	case EVENT_WALK_TASK:
		r = PUSH(walk_tasks, walk_task);
		break;
	case EVENT_WAIT:
		r = PUSH(waits, wait);
		break;
	case EVENT_WAKE:
		r = PUSH(wakes, wake);
		break;
	case EVENT_USER_STACK:
		r = PUSH(user_stacks, user_stack);
		break;
	case EVENT_WAIT_SUMS:
		r = PUSH(wait_sums, wait_sums);
		break;
	default:
		return 0;
	}
	return r < 0 ? r : array_push(&batch->events, entry);
}

static void forget_events(struct event_batch *batch)
{
	batch->events.count = batch->samples.count = batch->walks.count = batch->walk_tasks.count = 0;
	batch->waits.count = batch->wakes.count = batch->user_stacks.count = batch->wait_sums.count = 0;
	batch->next = 0;
}

/* --- sorting: the events are a few ascending runs (one per CPU and drain), so merge the runs --- */

static size_t run_end(const struct batch_event *events, size_t start, size_t count)
{
	size_t end = start + 1;

	while (end < count && events[end - 1].time <= events[end].time)
		end++;
	return end;
}

static void merge(const struct batch_event *from, size_t start, size_t middle, size_t end,
		  struct batch_event *to)
{
	size_t a = start, b = middle, at = start;

	while (a < middle && b < end)
		to[at++] = from[b].time < from[a].time ? from[b++] : from[a++];
	memcpy(to + at, from + a, (middle - a) * sizeof(*to));
	at += middle - a;
	memcpy(to + at, from + b, (end - b) * sizeof(*to));
}

/* Merges neighbouring runs of `from` into `to`; false when there was only one. */
static bool merge_runs(const struct batch_event *from, size_t count, struct batch_event *to)
{
	size_t start = 0;

	if (run_end(from, 0, count) == count)
		return false;
	while (start < count) {
		size_t middle = run_end(from, start, count);
		size_t end = middle < count ? run_end(from, middle, count) : count;

		merge(from, start, middle, end, to);
		start = end;
	}
	return true;
}

static int sort_events(struct event_batch *batch)
{
	size_t count = batch->events.count;

	if (!count)
		return 0;
	/* The two arrays are swapped in each round, so both need the capacity of the larger one. */
	if (array_reserve_raw((void **)&batch->spare, &batch->spare_room, batch->events.capacity,
			      sizeof(*batch->spare)) < 0)
		return -ENOMEM;
	while (merge_runs(batch->events.items, count, batch->spare)) {
		struct batch_event *sorted = batch->spare;
		size_t room = batch->spare_room;

		batch->spare = batch->events.items;
		batch->spare_room = batch->events.capacity;
		batch->events.items = sorted;
		batch->events.capacity = room;
	}
	return 0;
}

static int event_batch_decode(struct event_batch *batch, const void *payload, size_t length)
{
	struct event event;
	int r;

	forget_events(batch);
	event_decoder_start(batch->decoder, payload, length);
	while ((r = event_decoder_next(batch->decoder, &event)) > 0) {
		r = push_event(batch, &event);
		if (r < 0)
			return r;
	}
	batch->malformed = r == -EBADMSG;
	batch->unknown = event_decoder_unknown(batch->decoder);
	return r < 0 && r != -EBADMSG ? r : sort_events(batch);
}

/* --- the stream --- */

struct pending_chunk {
	uint64_t first_time;
	uint32_t number;
};

struct open_batch {
	struct event_batch batch;
	uint64_t serial;
	uint32_t bytes;
	bool ready; /* event_batch_init() has succeeded */
};

struct event_stream {
	struct trace_file *file;
	struct trace_model *model;
	ARRAY(struct pending_chunk) chunks; /* sorted by first_time */
	size_t next_chunk;
	struct open_batch slots[STREAM_OPEN_MAX];
	uint32_t open[STREAM_OPEN_MAX]; /* slots with events left, sorted by the time of their next event */
	uint32_t open_count;
	uint32_t free[STREAM_OPEN_MAX];
	uint32_t free_count;
	uint64_t serial, now;
	uint64_t bytes; /* of all chunks that were opened */
	struct stream_totals totals;
};

static int compare_chunks(const void *one, const void *two)
{
	const struct pending_chunk *a = one, *b = two;

	return COMPARE(a->first_time, b->first_time) ?: COMPARE(a->number, b->number);
}

int event_stream_create(struct trace_file *file, uint32_t section, struct event_stream **ret_stream)
{
	struct event_stream *stream = calloc(1, sizeof(*stream));

	if (!stream)
		return -ENOMEM;
	stream->file = file;
	stream->model = &file->models[section];
	for (uint32_t i = 0; i < STREAM_OPEN_MAX; i++)
		stream->free[stream->free_count++] = STREAM_OPEN_MAX - 1 - i;
	for (uint32_t i = stream->model->first_chunk; i < stream->model->end_chunk; i++) {
		const struct trace_chunk *chunk = &file->chunks[i];
		struct pending_chunk pending = {.first_time = chunk->header.first_time, .number = i};

		if (chunk->section != section || chunk->header.type != RWK_CHUNK_EVENTS)
			continue;
		if (array_push(&stream->chunks, pending) < 0) {
			event_stream_destroy(stream);
			return -ENOMEM;
		}
	}
	if (stream->chunks.count)
		qsort(stream->chunks.items, stream->chunks.count, sizeof(*stream->chunks.items),
		      compare_chunks);
	*ret_stream = stream;
	return 0;
}

void event_stream_destroy(struct event_stream *stream)
{
	if (!stream)
		return;
	for (size_t i = 0; i < STREAM_OPEN_MAX; i++)
		event_batch_deinit(&stream->slots[i].batch);
	array_free(&stream->chunks);
	free(stream);
}

static uint64_t next_time(const struct event_stream *stream, uint32_t place)
{
	const struct event_batch *batch = &stream->slots[stream->open[place]].batch;

	return batch->events.items[batch->next].time;
}

/* open[] is sorted by the time of each slot's next event. Few are open, so insertion is enough. */
static void sort_slot(struct event_stream *stream, uint32_t place)
{
	uint32_t slot = stream->open[place];
	uint64_t time = next_time(stream, place);

	for (; place > 0 && next_time(stream, place - 1) > time; place--)
		stream->open[place] = stream->open[place - 1];
	stream->open[place] = slot;
	for (; place + 1 < stream->open_count && next_time(stream, place + 1) < time; place++)
		stream->open[place] = stream->open[place + 1];
	stream->open[place] = slot;
}

static int open_chunk(struct event_stream *stream, uint32_t number)
{
	uint32_t slot = stream->free[stream->free_count - 1];
	struct open_batch *open = &stream->slots[slot];
	const void *payload;
	int r = trace_file_load(stream->file, number, &payload);

	open->bytes = stream->file->chunks[number].header.raw_size;
	stream->bytes += open->bytes;
	if (r == -EBADMSG) {
		const struct rwk_chunk_header *header = &stream->file->chunks[number].header;
		struct lost_range range = {.from = header->first_time, .to = header->last_time, .chunks = 1};

		stream->totals.damaged++;
		return array_push(&stream->model->lost_ranges, range);
	}
	if (!r && !open->ready) {
		r = event_batch_init(&open->batch);
		open->ready = !r;
	}
	if (!r)
		r = event_batch_decode(&open->batch, payload, open->bytes);
	if (r < 0)
		return r;
	stream->totals.unknown += open->batch.unknown;
	stream->totals.malformed += open->batch.malformed;
	if (!open->batch.events.count)
		return 0;
	open->serial = ++stream->serial;
	stream->free_count--;
	stream->open[stream->open_count] = slot;
	sort_slot(stream, stream->open_count++);
	return 0;
}

/* Opens every chunk that may contain an event as early as the next one, or earlier. */
static int open_due(struct event_stream *stream)
{
	while (stream->next_chunk < stream->chunks.count && stream->free_count) {
		const struct pending_chunk *chunk = &stream->chunks.items[stream->next_chunk];
		int r;

		if (stream->open_count && chunk->first_time > next_time(stream, 0))
			return 0;
		stream->next_chunk++;
		r = open_chunk(stream, chunk->number);
		if (r < 0)
			return r;
	}
	return 0;
}

static void close_first(struct event_stream *stream)
{
	stream->free[stream->free_count++] = stream->open[0];
	stream->open_count--;
	for (uint32_t i = 0; i < stream->open_count; i++)
		stream->open[i] = stream->open[i + 1];
}

/* The last returned event must stay valid until now, so its batch is moved or closed only here. */
static void step(struct event_stream *stream)
{
	struct event_batch *batch;

	if (!stream->open_count)
		return;
	batch = &stream->slots[stream->open[0]].batch;
	if (!batch->next)
		return;
	if (batch->next == batch->events.count)
		close_first(stream);
	else
		sort_slot(stream, 0);
}

int event_stream_next(struct event_stream *stream, struct stream_event *ret_event)
{
	struct open_batch *open;
	int r;

	step(stream);
	r = open_due(stream);
	if (r < 0 || !stream->open_count)
		return r;
	open = &stream->slots[stream->open[0]];
	*ret_event = (struct stream_event){.event = &open->batch.events.items[open->batch.next++],
					   .batch = &open->batch,
					   .slot = stream->open[0],
					   .serial = open->serial};
	if (ret_event->event->time < stream->now)
		stream->totals.out_of_order++;
	else
		stream->now = ret_event->event->time;
	return 1;
}

void event_stream_add_totals(const struct event_stream *stream, struct stream_totals *sum)
{
	sum->unknown += stream->totals.unknown;
	sum->malformed += stream->totals.malformed;
	sum->damaged += stream->totals.damaged;
	sum->out_of_order += stream->totals.out_of_order;
}

uint64_t event_stream_done(const struct event_stream *stream)
{
	uint64_t left = 0;

	for (uint32_t i = 0; i < stream->open_count; i++) {
		const struct open_batch *open = &stream->slots[stream->open[i]];
		size_t count = open->batch.events.count;

		left += (uint64_t)((double)open->bytes * (double)(count - open->batch.next) / (double)count);
	}
	return stream->bytes - left;
}
