/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Builds and validates the fixed structs of trace.h: file header, chunk header with its payload,
 * trailer. Each check covers a whole struct of untrusted bytes; a struct that passes has sizes
 * within the limits, so that its reader can add them up without overflow. `seed` is the crc of the
 * section's file header.
 */
#ifndef RWALKER_FORMAT_CHUNK_H
#define RWALKER_FORMAT_CHUNK_H

#include <stdbool.h>

#include "format/trace.h"

/* Fills in magic, version, sizes and crc; the caller has set section_id and realtime. */
void rwk_file_header_seal(struct rwk_file_header *header);
/*
 * 0; -EBADMSG: not a file header; -EPROTONOSUPPORT: a file header with a version or flag that must be refused;
 * -ESTALE: it is of a version before 1.0, which must be, too.
 */
int rwk_file_header_check(const struct rwk_file_header *header);

/* Fills in magic and crc; everything else is set. */
void rwk_chunk_header_seal(struct rwk_chunk_header *header, uint32_t seed);
bool rwk_chunk_header_valid(const struct rwk_chunk_header *header, uint32_t seed);
/* Header, stored bytes and padding: the distance to the next chunk. */
size_t rwk_chunk_length(const struct rwk_chunk_header *header);
/* Stored bytes and padding only. */
size_t rwk_chunk_stored_length(const struct rwk_chunk_header *header);

void rwk_trailer_seal(struct rwk_trailer *trailer, uint32_t seed);
bool rwk_trailer_valid(const struct rwk_trailer *trailer, uint32_t seed);

/*
 * Compresses the payload into `stored` (room for RWK_MAX_STORED_CHUNK; padding included) and sets
 * codec, sizes and payload_crc. `scratch`: lz4_block_scratch() bytes.
 */
void rwk_chunk_pack(struct rwk_chunk_header *header, const void *payload, size_t length, void *stored, void *scratch);
/* For a payload that is already in `stored` and is not compressed: sets codec, sizes, padding and payload_crc. */
void rwk_chunk_keep(struct rwk_chunk_header *header, void *stored, size_t length);
/* Whether the stored bytes and the padding match the header's checksum. */
bool rwk_chunk_whole(const struct rwk_chunk_header *header, const void *stored);
/*
 * `stored` holds the stored bytes and the padding, `payload` room for raw_size. 0, -EBADMSG,
 * -EPROTONOSUPPORT (codec).
 */
int rwk_chunk_unpack(const struct rwk_chunk_header *header, const void *stored, void *payload);

#endif
