/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The snapshots of a trace that is read again (--finalize), for the events that refer to them.
 * Chunks are added in order and kept until later ones together hold more than
 * SNAPSHOT_WINDOW_BYTES; an event follows its snapshot closely. Owns copies of the chunks. The
 * contents of a chunk may be malformed; anything after that in the chunk is ignored.
 */
#ifndef RWALKER_RECORD_EMBED_SNAPSHOT_WINDOW_H
#define RWALKER_RECORD_EMBED_SNAPSHOT_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#include "format/snapshot_code.h"

enum { SNAPSHOT_WINDOW_BYTES = 128 << 20, SNAPSHOT_WINDOW_CHUNKS = 4096 };

struct snapshot_window;

int snapshot_window_create(struct snapshot_window **ret_window);
void snapshot_window_destroy(struct snapshot_window *window);

/* One SNAPSHOTS chunk's payload. -ENOMEM. */
int snapshot_window_add(struct snapshot_window *window, const void *payload, size_t length);
/* Another section begins, with numbers of its own. */
void snapshot_window_clear(struct snapshot_window *window);

/* *ret_snapshot is valid until the next call. 0; -ENOENT: not, or no longer, there; -EBADMSG. */
int snapshot_window_find(struct snapshot_window *window, uint32_t number, struct snapshot *ret_snapshot);

#endif
