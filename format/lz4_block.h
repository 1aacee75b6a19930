/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The door to lz4; no other file uses the library: independent blocks, no frames (FORMAT.md §2.5). */
#ifndef RWALKER_FORMAT_LZ4_BLOCK_H
#define RWALKER_FORMAT_LZ4_BLOCK_H

#include <stddef.h>

/* Bytes of scratch space that lz4_block_compress needs, aligned to 8. */
size_t lz4_block_scratch(void);

/* Returns the size of the block, or 0 if it does not fit in `room`. */
size_t lz4_block_compress(void *scratch, const void *bytes, size_t length, void *block, size_t room);

/* 0, or -EBADMSG if the block is malformed or does not yield exactly `length` bytes. */
int lz4_block_decompress(const void *block, size_t size, void *bytes, size_t length);

const char *lz4_block_version(void); /* version of the library, "1.9.4" */

#endif
