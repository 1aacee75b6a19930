/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Takes an undamaged trace apart. Ends the program if it is not one. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "tests/fault/mutant_records.h"

/* Bytes to keep of a chunk of EVENTS: the rest has no new forms, but costs time with every mutant. */
enum { MUTANT_EVENTS = 2048 };

static inline void mutant_need(bool condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "mutants: a seed is no undamaged trace: %s\n", what);
	exit(2);
}

/* Drops the last records. The remaining ones do not refer to them. */
static inline void mutant_shorten(struct mutant_piece *piece)
{
	struct mutant_record record = {0};
	size_t count = 0, at = 0;

	while (mutant_find_record(piece, count, &record) == count + 1 && record.at + record.length <= MUTANT_EVENTS) {
		at = record.at + record.length;
		count++;
	}
	if (count)
		piece->length = at;
}

static inline void mutant_load_chunk(struct mutant *seed, const uint8_t *bytes, size_t left)
{
	struct mutant_piece *piece = &seed->pieces[seed->count++];
	uint8_t *payload;

	piece->kind = MUTANT_CHUNK;
	memcpy(&piece->chunk, bytes, sizeof(piece->chunk));
	mutant_need(rwk_chunk_length(&piece->chunk) <= left, "a chunk is cut off");
	payload = malloc(piece->chunk.raw_size + (size_t)1);
	mutant_need(payload && rwk_chunk_unpack(&piece->chunk, bytes + sizeof(piece->chunk), payload) == 0,
		    "a payload");
	piece->payload = payload;
	piece->length = piece->chunk.raw_size;
	piece->plain = piece->chunk.codec == RWK_CODEC_NONE;
	if (piece->chunk.type == RWK_CHUNK_EVENTS && piece->length > MUTANT_EVENTS)
		mutant_shorten(piece);
}

/* Returns the bytes of the piece at `at`. */
static inline size_t mutant_load_piece(struct mutant *seed, const uint8_t *bytes, size_t left)
{
	struct mutant_piece *piece = &seed->pieces[seed->count];

	if (left >= sizeof(piece->chunk) && !memcmp(bytes, RWK_CHUNK_MAGIC, 4)) {
		mutant_load_chunk(seed, bytes, left);
		return rwk_chunk_length(&piece->chunk);
	}
	seed->count++;
	if (left >= sizeof(piece->file) && !memcmp(bytes, RWK_MAGIC, 8)) {
		piece->kind = MUTANT_HEADER;
		memcpy(&piece->file, bytes, sizeof(piece->file));
		return piece->file.header_size;
	}
	mutant_need(left >= sizeof(piece->trailer) && !memcmp(bytes, RWK_TRAILER_MAGIC, 8), "unknown bytes");
	piece->kind = MUTANT_TRAILER;
	memcpy(&piece->trailer, bytes, sizeof(piece->trailer));
	return sizeof(piece->trailer);
}

/* Ignores what does not fit into the pieces. The payloads are never freed. */
static inline void mutant_load(struct mutant *seed, const uint8_t *bytes, size_t length)
{
	*seed = (struct mutant){0};
	for (size_t at = 0; at < length && seed->count < MUTANT_PIECES / 2;)
		at += mutant_load_piece(seed, bytes + at, length - at);
	seed->first = seed->pieces[0].file;
	mutant_need(seed->count > 1 && seed->pieces[0].kind == MUTANT_HEADER, "no file header");
}
