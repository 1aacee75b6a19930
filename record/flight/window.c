/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/flight/window.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/time_units.h"
#include "format/chunk.h"
#include "record/plan/memory_plan.h"

struct entry {
	struct rwk_chunk_header header;
	size_t at; /* of the stored bytes in the ring */
};

struct window {
	struct window_settings settings;
	uint8_t *bytes;	       /* a ring of settings.bytes */
	size_t head;	       /* where the next chunk begins */
	struct entry *entries; /* a ring of `chunks` */
	size_t first, count, chunks;
	uint64_t used; /* stored bytes */
	uint64_t left; /* greatest time of an event that has left */
};

/* How long an event may take from its time to its chunk. */
static const uint64_t LATE = 2 * SECOND;

/* Few chunks are smaller; if many are, the oldest leave earlier. */
static size_t chunks_in(size_t bytes)
{
	enum { MOST_CHUNKS = 1 << 17, CHUNK_BYTES = 1024 };

	static_assert(CHUNK_BYTES / MEMORY_INDEX_PART >= sizeof(struct entry), "the plan has room for it");

	return bytes / CHUNK_BYTES < MOST_CHUNKS ? bytes / CHUNK_BYTES : MOST_CHUNKS;
}

/*
 * Makes the kernel give us the memory now. When memory is short, threads that ask for some wait,
 * and we must record them.
 */
static void touch(void *memory, size_t size)
{
	enum { LEAST_PAGE = 4096 };
	volatile uint8_t *bytes = memory;

	for (size_t at = 0; at < size; at += LEAST_PAGE)
		bytes[at] = 0;
}

int window_create(const struct window_settings *settings, struct window **ret_window)
{
	struct window *window;

	if (settings->bytes < WINDOW_LEAST)
		return -EINVAL;
	window = calloc(1, sizeof(*window));
	if (!window)
		return -ENOMEM;
	window->settings = *settings;
	window->chunks = chunks_in(settings->bytes);
	window->bytes = malloc(settings->bytes);
	window->entries = calloc(window->chunks, sizeof(*window->entries));
	if (!window->bytes || !window->entries) {
		window_destroy(window);
		return -ENOMEM;
	}
	touch(window->bytes, settings->bytes);
	touch(window->entries, window->chunks * sizeof(*window->entries));
	*ret_window = window;
	return 0;
}

void window_destroy(struct window *window)
{
	if (!window)
		return;
	free(window->bytes);
	free(window->entries);
	free(window);
}

static struct entry *entry_at(const struct window *window, size_t number)
{
	return &window->entries[(window->first + number) % window->chunks];
}

/* --- what leaves --- */

static bool holds_events(const struct entry *entry)
{
	return entry->header.type == RWK_CHUNK_EVENTS;
}

static void drop_first(struct window *window)
{
	const struct entry *entry = entry_at(window, 0);

	window->settings.leaves(window->settings.context, &entry->header, window->bytes + entry->at);
	if (holds_events(entry) && entry->header.last_time > window->left)
		window->left = entry->header.last_time;
	window->used -= rwk_chunk_stored_length(&entry->header);
	window->first = (window->first + 1) % window->chunks;
	window->count--;
}

/*
 * The number of chunks in the first group. *ret_whole: another group has begun; *ret_last: the
 * greatest time of an event in it.
 */
static size_t first_group(const struct window *window, bool *ret_whole, uint64_t *ret_last)
{
	size_t length = 0;

	*ret_last = 0;
	while (length < window->count && !holds_events(entry_at(window, length)))
		length++;
	while (length < window->count && holds_events(entry_at(window, length))) {
		uint64_t last = entry_at(window, length++)->header.last_time;

		*ret_last = last > *ret_last ? last : *ret_last;
	}
	*ret_whole = length < window->count;
	return length;
}

static void drop_group(struct window *window)
{
	uint64_t last;
	bool whole;
	size_t length = first_group(window, &whole, &last);

	while (length--)
		drop_first(window);
}

/* Drops old state that no event followed. */
static void advance_idle(struct window *window, uint64_t oldest)
{
	while (window->count && !holds_events(entry_at(window, 0)) && entry_at(window, 0)->header.last_time &&
	       entry_at(window, 0)->header.last_time + LATE < oldest)
		drop_first(window);
}

void window_advance(struct window *window, uint64_t now)
{
	uint64_t oldest = now > window->settings.age ? now - window->settings.age : 0, last;
	bool whole;

	while (window->count) {
		(void)first_group(window, &whole, &last);
		if (!whole || last >= oldest)
			break;
		drop_group(window);
	}
	if (window->count && !whole && !last)
		advance_idle(window, oldest);
}

/* --- what comes --- */

/* Whether [at, at + length) is free of chunks. */
static bool is_free(const struct window *window, size_t at, size_t length)
{
	size_t tail = window->count ? entry_at(window, 0)->at : 0;

	if (at + length > window->settings.bytes)
		return false;
	if (!window->count)
		return true;
	return tail >= window->head ? at >= window->head && at + length <= tail :
				      at >= window->head || at + length <= tail;
}

/* Drops groups until there is room. Returns where the bytes go. */
static size_t make_room(struct window *window, size_t length)
{
	if (window->count == window->chunks)
		drop_group(window);
	for (;;) {
		if (!window->count)
			return window->head = 0;
		if (is_free(window, window->head, length))
			return window->head;
		if (is_free(window, 0, length))
			return 0;
		drop_group(window);
	}
}

void window_add(struct window *window, const struct rwk_chunk_header *header, const void *stored)
{
	size_t length = rwk_chunk_stored_length(header), at = make_room(window, length);
	struct entry *entry = entry_at(window, window->count);

	*entry = (struct entry){.header = *header, .at = at};
	memcpy(window->bytes + at, stored, length);
	window->head = at + length;
	window->count++;
	window->used += length;
}

/* --- what it holds --- */

bool window_next(const struct window *window, size_t *cursor, struct window_chunk *ret_chunk)
{
	const struct entry *entry = entry_at(window, *cursor);

	if (*cursor >= window->count)
		return false;
	*ret_chunk = (struct window_chunk){.header = &entry->header, .stored = window->bytes + entry->at};
	(*cursor)++;
	return true;
}

void window_span(const struct window *window, struct window_span *ret_span)
{
	*ret_span = (struct window_span){.bytes = window->used, .chunks = window->count, .left = window->left};
	for (size_t i = 0; i < window->count; i++) {
		const struct rwk_chunk_header *header = &entry_at(window, i)->header;

		if (header->type != RWK_CHUNK_EVENTS || !header->last_time)
			continue;
		if (!ret_span->first || header->first_time < ret_span->first)
			ret_span->first = header->first_time;
		if (header->last_time > ret_span->last)
			ret_span->last = header->last_time;
	}
}

uint64_t window_since(const struct window *window, uint64_t start, uint64_t now)
{
	uint64_t since = now > window->settings.age ? now - window->settings.age : 0;
	struct window_span span;

	window_span(window, &span);
	if (since < start)
		since = start;
	if (span.left && since <= span.left)
		since = span.left + 1;
	if (span.first && since > span.first)
		since = span.first;
	return since < now ? since : now;
}
