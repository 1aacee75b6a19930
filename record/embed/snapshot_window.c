/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/embed/snapshot_window.h"

#include <errno.h>
#include <stdlib.h>

#include "common/sorted.h"
#include "format/snapshot_batch.h"
#include "format/snapshot_number.h"

struct snapshot_window {
	struct snapshot_batch batches[SNAPSHOT_WINDOW_CHUNKS]; /* a ring: numbers ascend */
	size_t first, count;
	size_t bytes;	/* of all payloads */
	uint64_t added; /* batches so far; the last ones are present */
	struct event_decoder *events;
	struct snapshot_decoder *snapshots;
	uint64_t words[SNAPSHOT_WORDS];
};

int snapshot_window_create(struct snapshot_window **ret_window)
{
	struct snapshot_window *window = calloc(1, sizeof(*window));
	int r = window ? event_decoder_create(&window->events) : -ENOMEM;

	if (r >= 0)
		r = snapshot_decoder_create(&window->snapshots);
	if (r < 0) {
		snapshot_window_destroy(window);
		return r;
	}
	*ret_window = window;
	return 0;
}

static struct snapshot_batch *batch_at(struct snapshot_window *window, size_t i)
{
	return &window->batches[(window->first + i) % SNAPSHOT_WINDOW_CHUNKS];
}

static void drop_first(struct snapshot_window *window)
{
	struct snapshot_batch *batch = batch_at(window, 0);

	window->bytes -= batch->length;
	snapshot_batch_deinit(batch);
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
	event_decoder_destroy(window->events);
	snapshot_decoder_destroy(window->snapshots);
	free(window);
}

static uint32_t last_number(struct snapshot_window *window, size_t i)
{
	const struct snapshot_batch *batch = batch_at(window, i);

	return batch->records.items[batch->records.count - 1].number;
}

int snapshot_window_add(struct snapshot_window *window, const void *payload, size_t length)
{
	struct snapshot_batch batch = {0};
	uint32_t after = window->count ? last_number(window, window->count - 1) : 0;
	int r = snapshot_batch_read(&batch, window->events, payload, length, after);

	if (r < 0 || !batch.records.count) {
		snapshot_batch_deinit(&batch);
		return r;
	}
	while (window->count && (window->bytes + length > SNAPSHOT_WINDOW_BYTES ||
				 window->count == SNAPSHOT_WINDOW_CHUNKS))
		drop_first(window);
	window->bytes += length;
	window->added++;
	*batch_at(window, window->count++) = batch;
	return 0;
}

int snapshot_window_find(struct snapshot_window *window, uint32_t number, struct snapshot *ret_snapshot)
{
	size_t i = SORTED_FIRST(at, window->count, !snapshot_precedes(last_number(window, at), number)), place;
	const struct snapshot_batch *batch = batch_at(window, i);

	if (i == window->count || !snapshot_batch_find(batch, number, &place))
		return -ENOENT;
	return snapshot_decoder_get(window->snapshots, batch, window->added - window->count + i, place, window->words,
				    ret_snapshot);
}
