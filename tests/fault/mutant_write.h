/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Writes the pieces of a mutant: every checksum is right, and INDEX and trailer match what is
 * written unless they were changed themselves.
 */
#pragma once

#include "format/crc32c.h"
#include "format/lz4_block.h"
#include "tests/fault/mutant.h"

struct mutant_writer {
	uint8_t *bytes; /* MUTANT_BYTES */
	size_t length, section;
	uint32_t seed;
	uint64_t chunks;
	size_t index; /* where the section's INDEX is */
	uint8_t *entries, *scratch; /* of the INDEX; for LZ4 */
};

static inline void mutant_put(struct mutant_writer *w, const void *bytes, size_t length)
{
	if (length)
		memcpy(w->bytes + w->length, bytes, length);
	w->length += length;
}

static inline void mutant_put_file_header(struct mutant_writer *w, struct rwk_file_header header)
{
	size_t more = header.header_size > sizeof(header) && header.header_size <= RWK_MAX_FILE_HEADER ?
			      header.header_size - sizeof(header) : 0;

	w->section = w->length;
	w->chunks = w->index = 0;
	w->seed = header.crc = crc32c(0, &header, offsetof(struct rwk_file_header, crc));
	mutant_put(w, &header, sizeof(header));
	memset(w->bytes + w->length, 0, more);
	w->length += more;
}

static inline void mutant_put_trailer(struct mutant_writer *w, const struct mutant_piece *piece)
{
	struct rwk_trailer trailer = piece->trailer;

	if (!piece->own) {
		trailer.chunk_count = w->chunks;
		trailer.index_offset = w->index;
	}
	rwk_trailer_seal(&trailer, w->seed);
	mutant_put(w, &trailer, sizeof(trailer));
}

/* Makes INDEX for what came before; returns other payloads unchanged. */
static inline const uint8_t *mutant_payload(struct mutant_writer *w, const struct mutant_piece *piece, size_t *length)
{
	if (piece->own || piece->lie || piece->chunk.type != RWK_CHUNK_INDEX) {
		*length = piece->length;
		return piece->payload;
	}
	w->index = w->length - w->section;
	*length = w->chunks * sizeof(struct rwk_index_entry);
	return w->entries;
}

static inline void mutant_lie(const struct mutant_piece *piece, struct rwk_chunk_header *header, uint8_t *stored)
{
	switch (piece->lie) {
	case LIE_RAW_SIZE:
		header->raw_size = piece->lie_value;
		break;
	case LIE_STORED_SIZE:
		memset(stored + rwk_chunk_stored_length(header), 0, header->stored_size + (size_t)64);
		if (piece->lie_value < 2 * (uint64_t)header->stored_size + 64)
			header->stored_size = piece->lie_value;
		header->payload_crc = crc32c(0, stored, rwk_chunk_stored_length(header));
		break;
	case LIE_CODEC:
		header->codec = (uint8_t)piece->lie_value;
		break;
	case LIE_BYTES:
		stored[piece->lie_value % (header->stored_size + 1)] ^= 1;
		break;
	default:
		break;
	}
}

static inline void mutant_put_chunk(struct mutant_writer *w, const struct mutant_piece *piece)
{
	struct rwk_chunk_header header = piece->chunk;
	size_t length;
	const uint8_t *payload = mutant_payload(w, piece, &length);
	uint8_t *stored = w->bytes + w->length + sizeof(header);

	if (piece->plain) {
		if (length)
			memcpy(stored, payload, length);
		rwk_chunk_keep(&header, stored, length);
	} else {
		rwk_chunk_pack(&header, payload, length, stored, w->scratch);
	}
	memcpy(w->entries + w->chunks++ * sizeof(struct rwk_index_entry),
	       &(struct rwk_index_entry){w->length - w->section, header.first_time, header.last_time,
					 header.stored_size, header.type, header.flags},
	       sizeof(struct rwk_index_entry));
	mutant_lie(piece, &header, stored);
	rwk_chunk_header_seal(&header, w->seed);
	mutant_put(w, &header, sizeof(header));
	w->length += rwk_chunk_stored_length(&header);
}

/* Ignores what does not fit. */
static inline void mutant_write(struct mutant_writer *w, const struct mutant *mutant)
{
	w->length = 0;
	mutant_put_file_header(w, mutant->first);
	w->length = 0;
	for (size_t i = 0; i < mutant->count; i++) {
		const struct mutant_piece *piece = &mutant->pieces[i];

		if (w->length + 4 * piece->length + 3 * MUTANT_PAYLOAD > MUTANT_BYTES)
			break;
		if (piece->kind == MUTANT_HEADER)
			mutant_put_file_header(w, piece->file);
		else if (piece->kind == MUTANT_TRAILER)
			mutant_put_trailer(w, piece);
		else if (piece->kind == MUTANT_CHUNK)
			mutant_put_chunk(w, piece);
		else
			mutant_put(w, piece->payload, piece->length);
	}
}
