/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/state_copies.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/chunk.h"

static_assert(sizeof(struct state_copy) % 8 == 0, "entries follow each other without padding");

int state_copies_init(struct state_copies *copies, size_t room)
{
	*copies = (struct state_copies){.bytes = malloc(room), .room = room};
	return copies->bytes ? 0 : -ENOMEM;
}

void state_copies_deinit(struct state_copies *copies)
{
	free(copies->bytes);
	*copies = (struct state_copies){0};
}

static size_t stored_length(const struct rwk_chunk_header *header)
{
	return rwk_chunk_length(header) - sizeof(*header);
}

const struct state_copy *state_copies_oldest(const struct state_copies *copies)
{
	return copies->count ? (const struct state_copy *)(copies->bytes + copies->head) : NULL;
}

void state_copies_pop(struct state_copies *copies)
{
	const struct state_copy *oldest = state_copies_oldest(copies);

	copies->head += sizeof(*oldest) + stored_length(&oldest->header);
	copies->count--;
	if (!copies->count)
		copies->head = copies->tail = 0;
}

bool state_copies_push(struct state_copies *copies, const struct rwk_chunk_header *header, const void *stored,
		       uint64_t end)
{
	struct state_copy copy = {.header = *header, .end = end};
	size_t length = stored_length(header);

	if (sizeof(copy) + length > copies->room - state_copies_bytes(copies))
		return false;
	if (sizeof(copy) + length > copies->room - copies->tail) {
		memmove(copies->bytes, copies->bytes + copies->head, state_copies_bytes(copies));
		copies->tail -= copies->head;
		copies->head = 0;
	}
	memcpy(copies->bytes + copies->tail, &copy, sizeof(copy));
	memcpy(copies->bytes + copies->tail + sizeof(copy), stored, length);
	copies->tail += sizeof(copy) + length;
	copies->count++;
	return true;
}
