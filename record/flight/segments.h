/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The last segments of a recording, in memory that is allocated at the start.
 *
 * Every few seconds the session begins a segment: it writes out all open chunks, and these keep a copy of which
 * process has mapped what (address_space.h: a number for each process); then it writes again what a reader needs of
 * each segment: clocks, sources, probes, and all totals (LOSS, COST, PROBE_HITS, COUNTER). From there on chunks belong
 * to the new segment. Segments leave whole, the oldest first, when they are older than the window or need the room.
 *
 * A dump is made of: WINDOW; the chunks from before the first segment (META); what lives in the recorder's tables
 * (modules, kernel functions, cgroups ...); the mappings as of the begin of the oldest segment; and the chunks of all
 * segments, as they are stored. Nothing is decoded. Readers subtract the totals that were read by WINDOW's
 * `since` (FORMAT.md §5). So all that is asked of a table is one of three things:
 *
 *     it can write all it has told                      modules, kernel functions, cgroups, mappings that are unknown
 *     ... and what it forgets it tells once more         kernel functions, cgroups: it is in the segment of its end
 *     it tells things again when they are first used     objects of waits and their names
 *     in a segment
 *
 * A new kind of record needs one of these, and nothing here.
 */
#ifndef RWALKER_RECORD_FLIGHT_SEGMENTS_H
#define RWALKER_RECORD_FLIGHT_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/address_space.h"
#include "format/trace.h"

struct segments;

enum { SEGMENTS_LEAST = 4 << 20 };

/* age: ns for which segments are kept while there is room; bytes: at least SEGMENTS_LEAST. 0, -ENOMEM, -EINVAL. */
int segments_create(uint64_t age, size_t bytes, struct segments **ret_segments);
void segments_destroy(struct segments *segments);

/* `stored` with its padding. Before the first segment: the chunk is kept for good. */
void segments_add(struct segments *segments, const struct rwk_chunk_header *header, const void *stored);

/* Whether it is time for another segment. */
bool segments_are_due(const struct segments *segments, uint64_t now);
/* All open chunks were written. Drops what is older than the window; keeps what `spaces` have at `now`. */
void segments_begin(struct segments *segments, struct address_spaces *spaces, uint64_t now);

/* Each chunk, oldest first: those from before the first segment, or those of the segments. */
typedef int segments_visit(void *context, const struct rwk_chunk_header *header, const void *stored);
int segments_each_chunk(const struct segments *segments, bool before, segments_visit *visit, void *context);
/* Each mapping of each process at segments_since(). */
int segments_each_mapping(const struct segments *segments, address_spaces_visit *visit, void *context);

uint64_t segments_since(const struct segments *segments); /* begin of the oldest one; 0: none has begun */
uint64_t segments_bytes(const struct segments *segments);

#endif
