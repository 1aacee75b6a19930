/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/snapshot_window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "format/event_decoder.h"

struct batch { /* a chunk */
	uint8_t *payload;
	size_t length;
	ARRAY(struct event_snapshot) records; /* numbers ascend; texts lie in the payload */
};

struct snapshot_window {
	struct batch batches[SNAPSHOT_WINDOW_CHUNKS]; /* a ring: numbers ascend */
	size_t first, count;
	size_t bytes; /* of all payloads */
	struct event_decoder *decoder;
	uint64_t words[SNAPSHOT_WORDS], key_words[SNAPSHOT_WORDS];
};

int snapshot_window_create(struct snapshot_window **ret_window)
{
	struct snapshot_window *window = calloc(1, sizeof(*window));
	int r = window ? event_decoder_create(&window->decoder) : -ENOMEM;

	if (r < 0) {
		free(window);
		return r;
	}
	*ret_window = window;
	return 0;
}

static struct batch *batch_at(struct snapshot_window *window, size_t i)
{
	return &window->batches[(window->first + i) % SNAPSHOT_WINDOW_CHUNKS];
}

static void drop_first(struct snapshot_window *window)
{
	struct batch *batch = batch_at(window, 0);

	window->bytes -= batch->length;
	free(batch->payload);
	array_free(&batch->records);
	*batch = (struct batch){0};
	window->first = (window->first + 1) % SNAPSHOT_WINDOW_CHUNKS;
	window->count--;
}

void snapshot_window_clear(struct snapshot_window *window)
{
	while (window->count)
		drop_first(window);
}

void snapshot_window_destroy(struct snapshot_window *window)
{
	if (!window)
		return;
	snapshot_window_clear(window);
	event_decoder_destroy(window->decoder);
	free(window);
}

/* The last number so far; 0: none. */
static uint32_t last_number(struct snapshot_window *window)
{
	const struct batch *batch = window->count ? batch_at(window, window->count - 1) : NULL;

	return batch ? batch->records.items[batch->records.count - 1].number : 0;
}

static int records_read(struct snapshot_window *window, struct batch *batch)
{
	uint32_t last = last_number(window);
	struct event event;

	event_decoder_start(window->decoder, batch->payload, batch->length);
	while (event_decoder_next(window->decoder, &event) > 0) {
		if (event.kind != EVENT_SNAPSHOT)
			continue;
		if (event.snapshot.number <= last)
			break;
		last = event.snapshot.number;
		if (array_push(&batch->records, event.snapshot) < 0)
			return -ENOMEM;
	}
	return 0;
}

int snapshot_window_add(struct snapshot_window *window, const void *payload, size_t length)
{
	struct batch batch = {.payload = malloc(length + 1), .length = length};
	int r = batch.payload ? 0 : -ENOMEM;

	if (!r) {
		memcpy(batch.payload, payload, length);
		r = records_read(window, &batch);
	}
	if (r < 0 || !batch.records.count) {
		array_free(&batch.records);
		free(batch.payload);
		return r;
	}
	while (window->count && (window->bytes + length > SNAPSHOT_WINDOW_BYTES || window->count == SNAPSHOT_WINDOW_CHUNKS))
		drop_first(window);
	window->bytes += length;
	*batch_at(window, window->count++) = batch;
	return 0;
}

/* The last batch whose first number is not above; NULL: there is none. */
static const struct batch *batch_of(struct snapshot_window *window, uint32_t number)
{
	size_t low = 0, high = window->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (batch_at(window, middle)->records.items[0].number <= number)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? batch_at(window, low - 1) : NULL;
}

/* Its place among the batch's records; their count: it is not there. */
static size_t place_of(const struct batch *batch, uint32_t number)
{
	size_t low = 0, high = batch->records.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (batch->records.items[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < batch->records.count && batch->records.items[low].number == number ? low : batch->records.count;
}

int snapshot_window_find(struct snapshot_window *window, uint32_t number, struct snapshot *ret_snapshot)
{
	const struct batch *batch = batch_of(window, number);
	size_t place = batch ? place_of(batch, number) : 0;
	const struct event_snapshot *record, *key;
	struct snapshot decoded;
	int r;

	if (!batch || place == batch->records.count)
		return -ENOENT;
	record = &batch->records.items[place];
	if (!record->key)
		return snapshot_decode(record, NULL, window->words, ret_snapshot);
	if (record->key > place)
		return -EBADMSG;
	key = record - record->key;
	r = key->key ? -EBADMSG : snapshot_decode(key, NULL, window->key_words, &decoded);
	return r < 0 ? r : snapshot_decode(record, &decoded, window->words, ret_snapshot);
}
