/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/read/event_batch.h"

#include <string.h>

int event_batch_init(struct event_batch *batch)
{
	*batch = (struct event_batch){0};
	return event_decoder_create(&batch->decoder);
}

void event_batch_deinit(struct event_batch *batch)
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

int event_batch_decode(struct event_batch *batch, const void *payload, size_t length)
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
