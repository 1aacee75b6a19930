/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Frames and symbols as the bytes that the cache's file holds: a checksum of eight bytes over the seed (what the bytes belong
 * to) and over all that follows, then varints. Bytes that are not what was put there for this key are -EBADMSG. Frames:
 *
 *	texts, texts x (length, bytes), frames, frames x (address as a difference to the one before, levels,
 *	levels x (function, file: number of the text from 1, 0 none; line x 2, + 1 if it is inlined))
 *
 * Symbols: symbols, symbols x (address as a zig-zag difference, size, binding, length of the name, its bytes).
 */
#ifndef RWALKER_REPORT_RESOLVE_NAME_BLOB_H
#define RWALKER_REPORT_RESOLVE_NAME_BLOB_H

#include "report/resolve/name_frames.h"
#include "report/resolve/symbol_index.h"

enum { NAME_BLOB_MAX = 64 << 20 }; /* bytes; more are not cached */

struct name_blob {
	uint8_t *bytes;
	size_t size;
};

void name_blob_deinit(struct name_blob *blob);

/* Over bytes, and what was summed before them (0: nothing). No defence against forgery. */
uint64_t name_checksum(uint64_t before, const void *bytes, size_t size);

/* -E2BIG, -ENOMEM. */
int name_blob_from_frames(const struct name_frames *frames, uint64_t seed, struct name_blob *ret_blob);
int name_blob_from_symbols(const struct symbol_list *list, uint64_t seed, struct name_blob *ret_blob);

/* Adds what is not there yet. On failure some may have been added. */
int name_blob_to_frames(const void *bytes, size_t size, uint64_t seed, struct name_frames *frames);
/* Appends; on failure the list is as before. */
int name_blob_to_symbols(const void *bytes, size_t size, uint64_t seed, struct symbol_list *list);

#endif
