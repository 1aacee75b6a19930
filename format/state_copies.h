/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Packed STATE chunks that wait to be written a second time, oldest first, in a buffer of fixed size. The second
 * copy lies well behind the first, so that one bad spot of a disk does not take both (FORMAT.md §3.5).
 */
#ifndef RWALKER_FORMAT_STATE_COPIES_H
#define RWALKER_FORMAT_STATE_COPIES_H

#include <stdbool.h>

#include "format/trace.h"

struct state_copy { /* in the buffer, its stored bytes and their padding behind it */
	struct rwk_chunk_header header;
	uint64_t end; /* of the first copy, from the section's first byte */
};

struct state_copies {
	uint8_t *bytes;
	size_t head, tail, room;
	uint32_t count;
};

int state_copies_init(struct state_copies *copies, size_t room);
void state_copies_deinit(struct state_copies *copies);

/* The oldest, NULL where none waits; valid until the next call. */
const struct state_copy *state_copies_oldest(const struct state_copies *copies);
void state_copies_pop(struct state_copies *copies);
/* False where there is no room; true: it waits. */
bool state_copies_push(struct state_copies *copies, const struct rwk_chunk_header *header, const void *stored,
		       uint64_t end);

/* Bytes in the buffer: not less than what all copies take in the file. */
static inline size_t state_copies_bytes(const struct state_copies *copies)
{
	return copies->tail - copies->head;
}

#endif
