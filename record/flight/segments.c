/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/flight/flight_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/time_units.h"
#include "format/chunk.h"

enum {
	MOST = 128,	  /* segments; as many as 64 pass in the window, and one begins for every 1/8 of the bytes */
	KEPT = 0,	  /* in place of a type of chunk: what processes had mapped, struct kept_process */
	SKIP = UINT16_MAX, /* likewise: the ring goes on at its begin */
	LEAST_PAGE = 4096,
};

static const uint64_t SHORTEST = SECOND, LONGEST = 5 * SECOND;

struct segment {
	uint64_t begin;
	size_t at;     /* of what processes had mapped, as a chunk; its chunks follow */
	size_t kept;   /* the number of processes */
	uint64_t used; /* bytes */
};

/*
 * Chunks are kept as in a file: header, stored bytes, padding. Those from before the first segment are at the begin;
 * behind them is the ring.
 */
struct segments {
	uint64_t age, length;
	uint8_t *memory;
	size_t room, before, head; /* the ring begins at `before`; at head the next chunk */
	struct segment list[MOST];
	size_t oldest, number;	       /* of the list, a ring */
	struct address_spaces *spaces; /* NULL: no segment has begun */
	bool gap; /* the segment did not fit: nothing is kept until the next one begins */
};

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
	segments->memory = malloc(bytes);
	if (!segments->memory) {
		segments_destroy(segments);
		return -ENOMEM;
	}
	/* The kernel gives us the memory now: when it is short, who asks for some waits, and we must record that. */
	for (size_t at = 0; at < bytes; at += LEAST_PAGE)
		((volatile uint8_t *)segments->memory)[at] = 0;
	*ret_segments = segments;
	return 0;
}

void segments_destroy(struct segments *segments)
{
	if (!segments)
		return;
	free(segments->memory);
	free(segments);
}

static struct segment *segment_at(struct segments *segments, size_t number)
{
	return &segments->list[(segments->oldest + number) % MOST];
}

static const struct segment *oldest_of(const struct segments *segments)
{
	return &segments->list[segments->oldest];
}

static const struct kept_process *kept_of(const struct segments *segments, const struct segment *segment)
{
	return (const void *)(segments->memory + segment->at + sizeof(struct rwk_chunk_header));
}

static void drop_oldest(struct segments *segments)
{
	const struct segment *segment = oldest_of(segments);

	address_spaces_drop(segments->spaces, kept_of(segments, segment), segment->kept);
	segments->oldest = (segments->oldest + 1) % MOST;
	segments->number--;
}

/* --- what comes --- */

/* Moves head to a place, without dropping anything; false if there is none. It never reaches the oldest segment. */
static bool find_room(struct segments *segments, size_t length)
{
	const size_t tail = segments->number ? oldest_of(segments)->at : segments->before;
	const bool wrapped = segments->number && segments->head < tail;

	if (segments->head + length < (wrapped ? tail : segments->room))
		return true;
	if (wrapped || segments->before + length >= tail)
		return false;
	if (segments->room - segments->head >= sizeof(struct rwk_chunk_header))
		*(struct rwk_chunk_header *)(segments->memory + segments->head) = (struct rwk_chunk_header){.type = SKIP};
	segments->head = segments->before;
	return true;
}

/* Returns where so many bytes of the newest segment go; NULL: they do not fit into memory. */
static void *push(struct segments *segments, size_t length)
{
	uint8_t *place;

	while (!find_room(segments, length) && segments->number > 1)
		drop_oldest(segments);
	if (segments->number == 1 && !oldest_of(segments)->used)
		segments->head = segments->before; /* the ring is empty */
	if (!find_room(segments, length))
		return NULL;
	place = segments->memory + segments->head;
	segments->head += length;
	if (segments->number)
		segment_at(segments, segments->number - 1)->used += length;
	return place;
}

void segments_add(struct segments *segments, const struct rwk_chunk_header *header, const void *stored)
{
	uint8_t *place = segments->gap ? NULL : push(segments, rwk_chunk_length(header));

	if (place) {
		memcpy(place, header, sizeof(*header));
		memcpy(place + sizeof(*header), stored, rwk_chunk_stored_length(header));
	} else if (!segments->gap && segments->number) {
		drop_oldest(segments);
		segments->gap = true;
	}
}

bool segments_are_due(const struct segments *segments, uint64_t now)
{
	const struct segment *newest = &segments->list[(segments->oldest + segments->number - 1) % MOST];

	return segments->gap || !segments->number || now - newest->begin >= segments->length ||
	       newest->used >= segments->room / 8;
}

/* What is kept must leave room for what changes. */
static bool takes_much(const struct address_spaces *spaces)
{
	struct address_spaces_usage usage;

	address_spaces_usage(spaces, &usage);
	return usage.nodes > usage.most_nodes / 4 * 3;
}

/* What processes have mapped, in place of a chunk. */
static void keep(struct segments *segments, struct segment *segment)
{
	struct rwk_chunk_header kept = {.type = KEPT}, *header;
	struct address_spaces_usage usage;

	address_spaces_usage(segments->spaces, &usage);
	kept.stored_size = (uint32_t)(usage.processes * sizeof(struct kept_process));
	header = push(segments, rwk_chunk_length(&kept));
	segments->gap = !header;
	if (!header)
		return;
	*header = kept;
	segment->at = (size_t)((uint8_t *)header - segments->memory);
	segment->kept = (size_t)address_spaces_keep(segments->spaces, (void *)(header + 1), usage.processes);
}

void segments_begin(struct segments *segments, struct address_spaces *spaces, uint64_t now)
{
	struct segment *newest;

	if (!segments->spaces)
		segments->before = segments->head;
	segments->spaces = spaces;
	while (segments->number > 1 && (segment_at(segments, 1)->begin + segments->age <= now ||
					segments->number == MOST || takes_much(spaces)))
		drop_oldest(segments);
	newest = segment_at(segments, segments->number++);
	*newest = (struct segment){.begin = now, .at = segments->head};
	keep(segments, newest);
}

/* --- what it holds --- */

int segments_each_chunk(const struct segments *segments, bool before, segments_visit *visit, void *context)
{
	const size_t end = before && segments->spaces ? segments->before : segments->head;
	size_t at = before ? 0 : segments->number ? oldest_of(segments)->at : end;
	int r = 0;

	while (at != end && r >= 0) {
		const struct rwk_chunk_header *header = (const void *)(segments->memory + at);

		if (segments->room - at < sizeof(*header) || header->type == SKIP) {
			at = segments->before;
			continue;
		}
		if (header->type != KEPT)
			r = visit(context, header, header + 1);
		at += rwk_chunk_length(header);
	}
	return r;
}

int segments_each_mapping(const struct segments *segments, address_spaces_visit *visit, void *context)
{
	const struct segment *oldest = oldest_of(segments);

	if (!segments->number || !oldest->kept)
		return 0;
	return address_spaces_each_kept(segments->spaces, kept_of(segments, oldest), oldest->kept, visit, context);
}

uint64_t segments_since(const struct segments *segments)
{
	return segments->number ? oldest_of(segments)->begin : 0;
}

uint64_t segments_bytes(const struct segments *segments)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < segments->number; i++)
		sum += segments->list[(segments->oldest + i) % MOST].used;
	return sum;
}
