/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The last stored chunks of a recording, in memory that is allocated at the start, bounded by age
 * and by bytes. They leave in groups: what other chunks need (STATE, NAMES, SNAPSHOTS) and the
 * EVENTS chunks after it, so that no event stays after its state has left. A chunk that leaves is
 * passed to the owner first.
 */
#ifndef RWALKER_RECORD_FLIGHT_WINDOW_H
#define RWALKER_RECORD_FLIGHT_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/trace.h"

struct window;

struct window_settings {
	uint64_t age;  /* ns: younger chunks stay while there is room */
	size_t bytes; /* at least WINDOW_LEAST */
	void *context;
	void (*leaves)(void *context, const struct rwk_chunk_header *header, const void *stored);
};

enum { WINDOW_LEAST = 4 << 20 };

/* Takes 1/MEMORY_INDEX_PART more memory than `bytes`. 0, -ENOMEM, -EINVAL. */
int window_create(const struct window_settings *settings, struct window **ret_window);
void window_destroy(struct window *window);

/* `stored` with its padding. */
void window_add(struct window *window, const struct rwk_chunk_header *header, const void *stored);
/* Drops what is older than the window at `now` (CLOCK_MONOTONIC ns). */
void window_advance(struct window *window, uint64_t now);

struct window_chunk {
	const struct rwk_chunk_header *header;
	const void *stored;
};

/* Iterates over the chunks, oldest first. *cursor is 0 at first. Valid until the window changes. */
bool window_next(const struct window *window, size_t *cursor, struct window_chunk *ret_chunk);

struct window_span {
	uint64_t first, last; /* least and greatest time of an event in it; 0: there is none */
	uint64_t left;	      /* greatest time of an event that has left; 0: none has */
	uint64_t bytes;
	size_t chunks;
};

void window_span(const struct window *window, struct window_span *ret_span);
/*
 * The time since which it holds all of a recording that began at `start`, even if nothing was
 * recorded then: `now` minus the window's age, or earlier if older chunks are in it, or later if
 * younger ones had to leave.
 */
uint64_t window_since(const struct window *window, uint64_t start, uint64_t now);

#endif
