/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/flight/segments.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/time_units.h"
#include "format/chunk.h"
#include "record/plan/memory_plan.h"

enum {
	MOST = 128,	  /* segments; as many as 64 pass in the window, and one begins for every 1/8 of the bytes */
	KEPT_PROCESSES = 0, /* in place of a type of chunk: what they had mapped; struct kept_process, and an empty one */
};

static const uint64_t SHORTEST = SECOND, LONGEST = 5 * SECOND;

struct entry {
	struct rwk_chunk_header header;
	size_t at; /* of the stored bytes in the ring */
};

struct segment {
	uint64_t begin;
	size_t entries; /* of the ring */
	uint64_t used;	/* bytes */
};

struct segments {
	uint64_t age, length;
	uint8_t *memory, *bytes; /* `bytes` is a ring of `room` after the chunks from before the first segment */
	size_t room, head;	 /* head: where the next chunk begins */
	struct entry *index, *entries; /* `entries` is a ring of `most` after `before` ones */
	size_t before, first, count, most;
	struct segment list[MOST];
	size_t oldest, number; /* of the list, a ring */
	struct address_spaces *spaces; /* that were kept; NULL: none */
	bool gap; /* the segment did not fit: nothing is kept until the next one begins */
};

/* Few chunks are smaller; if many are, the oldest leave earlier. */
static size_t entries_for(size_t bytes)
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

static uint64_t length_for(uint64_t age)
{
	uint64_t length = age / 8 < LONGEST ? age / 8 : LONGEST;

	length = length > age / 64 ? length : age / 64;
	return length > SHORTEST ? length : SHORTEST;
}

int segments_create(uint64_t age, size_t bytes, struct segments **ret_segments)
{
	struct segments *segments;

	if (bytes < SEGMENTS_LEAST)
		return -EINVAL;
	segments = calloc(1, sizeof(*segments));
	if (!segments)
		return -ENOMEM;
	segments->age = age;
	segments->length = length_for(age);
	segments->room = bytes;
	segments->most = entries_for(bytes);
	segments->bytes = segments->memory = malloc(bytes);
	segments->entries = segments->index = calloc(segments->most, sizeof(*segments->index));
	if (!segments->memory || !segments->index) {
		segments_destroy(segments);
		return -ENOMEM;
	}
	touch(segments->memory, bytes);
	touch(segments->index, segments->most * sizeof(*segments->index));
	*ret_segments = segments;
	return 0;
}

void segments_destroy(struct segments *segments)
{
	if (!segments)
		return;
	free(segments->memory);
	free(segments->index);
	free(segments);
}

static struct entry *entry_at(const struct segments *segments, size_t number)
{
	return &segments->entries[(segments->first + number) % segments->most];
}

static const struct segment *segment_at(const struct segments *segments, size_t number)
{
	return &segments->list[(segments->oldest + number) % MOST];
}

/* --- what leaves --- */

static const struct kept_process *kept_of(const struct segments *segments, const struct entry *entry, size_t *ret_count)
{
	*ret_count = entry->header.stored_size / sizeof(struct kept_process);
	return (const void *)(segments->bytes + entry->at);
}

static void drop_entries(struct segments *segments, size_t number)
{
	for (; number; number--) {
		const struct entry *entry = entry_at(segments, 0);
		const struct kept_process *kept;
		size_t count;

		if (entry->header.type == KEPT_PROCESSES) {
			kept = kept_of(segments, entry, &count);
			address_spaces_drop(segments->spaces, kept, count);
		}
		segments->first = (segments->first + 1) % segments->most;
		segments->count--;
	}
}

static void drop_oldest(struct segments *segments)
{
	drop_entries(segments, segment_at(segments, 0)->entries);
	segments->oldest = (segments->oldest + 1) % MOST;
	segments->number--;
}

/* --- what comes --- */

/* Whether [at, at + length) is free of chunks. */
static bool is_free(const struct segments *segments, size_t at, size_t length)
{
	size_t tail = segments->count ? entry_at(segments, 0)->at : 0;

	if (at + length > segments->room)
		return false;
	if (!segments->count)
		return true;
	return tail >= segments->head ? at >= segments->head && at + length <= tail :
					at >= segments->head || at + length <= tail;
}

/* Finds a place without dropping anything; false if there is none. */
static bool find_room(struct segments *segments, size_t length)
{
	if (segments->count == segments->most)
		return false;
	if (!segments->count || !is_free(segments, segments->head, length)) {
		if (!is_free(segments, 0, length))
			return false;
		segments->head = 0;
	}
	return true;
}

/* Adds the entry to the newest segment. Returns where its bytes go; NULL: it does not fit into memory. */
static void *push(struct segments *segments, const struct rwk_chunk_header *header)
{
	size_t length = rwk_chunk_stored_length(header);
	struct segment *newest;
	struct entry *entry;

	while (!find_room(segments, length) && segments->number > 1)
		drop_oldest(segments);
	if (!find_room(segments, length))
		return NULL;
	entry = entry_at(segments, segments->count++);
	*entry = (struct entry){.header = *header, .at = segments->head};
	segments->head += length;
	if (segments->number) {
		newest = &segments->list[(segments->oldest + segments->number - 1) % MOST];
		newest->entries++;
		newest->used += length;
	}
	return segments->bytes + entry->at;
}

void segments_add(struct segments *segments, const struct rwk_chunk_header *header, const void *stored)
{
	void *place = segments->gap ? NULL : push(segments, header);

	if (place) {
		memcpy(place, stored, rwk_chunk_stored_length(header));
	} else if (!segments->gap && segments->number) {
		drop_oldest(segments);
		segments->gap = true;
	}
}

bool segments_are_due(const struct segments *segments, uint64_t now)
{
	const struct segment *newest = segment_at(segments, segments->number - 1);

	return segments->gap || !segments->number || now - newest->begin >= segments->length ||
	       newest->used >= segments->room / 8;
}

/* What came before the first segment stays where it is, and the ring begins after it. */
static void end_before(struct segments *segments)
{
	segments->before = segments->count;
	segments->entries += segments->count;
	segments->most -= segments->count;
	segments->bytes += segments->head;
	segments->room -= segments->head;
	segments->count = segments->head = 0;
}

static void keep(struct segments *segments, struct address_spaces *spaces)
{
	struct address_spaces_usage usage;
	struct rwk_chunk_header header = {.type = KEPT_PROCESSES};
	struct kept_process *kept;

	segments->spaces = spaces;
	address_spaces_usage(spaces, &usage);
	header.stored_size = (uint32_t)((usage.processes + 1) * sizeof(*kept)); /* an entry without bytes has no place */
	kept = push(segments, &header);
	if (kept)
		kept[address_spaces_keep(spaces, kept, usage.processes)] = (struct kept_process){0};
	segments->gap = !kept;
}

/* What is kept must leave room for what changes. */
static bool takes_much(const struct address_spaces *spaces)
{
	struct address_spaces_usage usage;

	address_spaces_usage(spaces, &usage);
	return usage.nodes > usage.most_nodes / 4 * 3;
}

void segments_begin(struct segments *segments, struct address_spaces *spaces, uint64_t now)
{
	if (!segments->spaces)
		end_before(segments);
	while (segments->number > 1 && (segment_at(segments, 1)->begin + segments->age <= now ||
					segments->number == MOST || takes_much(spaces)))
		drop_oldest(segments);
	segments->list[(segments->oldest + segments->number++) % MOST] = (struct segment){.begin = now};
	keep(segments, spaces);
}

/* --- what it holds --- */

bool segments_next(const struct segments *segments, size_t *cursor, struct segments_chunk *ret_chunk)
{
	while (*cursor < segments->before + segments->count) {
		const size_t number = (*cursor)++;
		const bool before = number < segments->before;
		const struct entry *entry = before ? &segments->index[number] :
						     entry_at(segments, number - segments->before);

		*ret_chunk = (struct segments_chunk){&entry->header,
						     (before ? segments->memory : segments->bytes) + entry->at, before};
		if (entry->header.type != KEPT_PROCESSES)
			return true;
	}
	return false;
}

int segments_each_mapping(const struct segments *segments, address_spaces_visit *visit, void *context)
{
	const struct kept_process *kept;
	size_t count;

	if (!segments->number || !segments->count || entry_at(segments, 0)->header.type != KEPT_PROCESSES)
		return 0;
	kept = kept_of(segments, entry_at(segments, 0), &count);
	return address_spaces_each_kept(segments->spaces, kept, count, visit, context);
}

uint64_t segments_since(const struct segments *segments)
{
	return segments->number ? segment_at(segments, 0)->begin : 0;
}

uint64_t segments_bytes(const struct segments *segments)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < segments->number; i++)
		sum += segment_at(segments, i)->used;
	return sum;
}
