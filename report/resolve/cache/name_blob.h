/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The encoding of frames and symbols in the cache's file: an eight-byte checksum over the seed
 * (which identifies the key) and everything that follows, then varints. -EBADMSG if the bytes were
 * not stored for this key. Frames:
 *
 *	texts, texts x (length, bytes), frames, frames x (address as a difference to the previous one, levels,
 *	levels x (function, file: number of the text from 1, 0 none; line x 2, + 1 if it is inlined))
 *
 * Symbols: symbols, symbols x (address as a zig-zag difference, size, binding, length of the name,
 * its bytes).
 */
#ifndef RWALKER_REPORT_RESOLVE_CACHE_NAME_BLOB_H
#define RWALKER_REPORT_RESOLVE_CACHE_NAME_BLOB_H

#include "report/resolve/cache/name_frames.h"
#include "report/resolve/symbol/symbol_index.h"

enum { NAME_BLOB_MAX = 64 << 20 }; /* bytes; more are not cached */

struct name_blob {
	uint8_t *bytes;
	size_t size;
};

void name_blob_deinit(struct name_blob *blob);

/* Checksum of bytes, continuing an earlier one (0: none). Not a defence against forgery. */
uint64_t name_checksum(uint64_t before, const void *bytes, size_t size);

/* -E2BIG, -ENOMEM. */
int name_blob_from_frames(const struct name_frames *frames, uint64_t seed, struct name_blob *ret_blob);
int name_blob_from_symbols(const struct symbol_list *list, uint64_t seed, struct name_blob *ret_blob);

/* Adds frames that are missing. On failure some may have been added. */
int name_blob_to_frames(const void *bytes, size_t size, uint64_t seed, struct name_frames *frames);
/* Appends; on failure the list is unchanged. */
int name_blob_to_symbols(const void *bytes, size_t size, uint64_t seed, struct symbol_list *list);

#endif
