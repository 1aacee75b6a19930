/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A trace in pieces that can be changed, moved and multiplied before they are written with right checksums: file
 * headers, chunks with their uncompressed payloads, trailers, and other bytes. A piece does not own its payload: that
 * of a seed lives as long as the seed, a changed one is in the scraps, which last until the next mutant.
 */
#pragma once

#include "format/chunk.h"
#include "format/limits.h"
#include "format/varint.h"
#include "tests/random.h"

enum { MUTANT_PIECES = 96, MUTANT_PAYLOAD = 1 << 20, MUTANT_SCRAPS = 16 << 20, MUTANT_BYTES = 8 << 20 };

enum mutant_kind { MUTANT_HEADER, MUTANT_CHUNK, MUTANT_TRAILER, MUTANT_JUNK };

/* How a chunk header contradicts the bytes that follow it; its checksums are right nevertheless. */
enum mutant_lie {
	LIE_NONE,
	LIE_RAW_SIZE,
	LIE_STORED_SIZE,
	LIE_CODEC,
	LIE_BYTES, /* the payload's checksum is wrong */
};

struct mutant_piece {
	enum mutant_kind kind;
	union {
		struct rwk_file_header file;
		struct rwk_chunk_header chunk;
		struct rwk_trailer trailer;
	};
	const uint8_t *payload; /* of a chunk, or other bytes */
	size_t length;
	bool plain; /* not compressed */
	bool own;   /* INDEX, trailer: written unchanged; else made to match the trace */
	enum mutant_lie lie;
	uint32_t lie_value;
};

struct mutant {
	struct rwk_file_header first; /* the seed's own: its checksum is valid until there is another one */
	struct mutant_piece pieces[MUTANT_PIECES];
	size_t count;
};

struct mutant_scraps {
	uint8_t *bytes; /* MUTANT_SCRAPS */
	size_t used;
};

/* What an edit works with. */
struct mutant_scene {
	struct random random;
	struct mutant_scraps scraps;
	struct mutant mutant;
	const struct mutant *seeds;
	size_t seed_count;
};

/* NULL if there is no more room: the change is not made. */
static inline uint8_t *mutant_scrap(struct mutant_scraps *scraps, size_t length)
{
	uint8_t *scrap = scraps->bytes + scraps->used;

	if (length > MUTANT_PAYLOAD || length > MUTANT_SCRAPS - scraps->used)
		return NULL;
	scraps->used += length;
	return scrap;
}

/* A random chunk of the trace; NULL if it has none. */
static inline struct mutant_piece *mutant_any_chunk(struct random *random, struct mutant *mutant)
{
	size_t from = mutant->count ? random_below(random, mutant->count) : 0;

	for (size_t i = 0; i < mutant->count; i++) {
		struct mutant_piece *piece = &mutant->pieces[(from + i) % mutant->count];

		if (piece->kind == MUTANT_CHUNK)
			return piece;
	}
	return NULL;
}

/* Replaces `removed` bytes of the payload at `at`. */
static inline void mutant_splice(struct mutant_scraps *scraps, struct mutant_piece *piece, size_t at, size_t removed,
				 const uint8_t *added, size_t length)
{
	size_t whole = piece->length - removed + length, rest = piece->length - at - removed;
	uint8_t *payload = mutant_scrap(scraps, whole);

	if (!payload)
		return;
	if (at)
		memcpy(payload, piece->payload, at);
	if (length)
		memcpy(payload + at, added, length);
	if (rest)
		memcpy(payload + at + length, piece->payload + at + removed, rest);
	piece->payload = payload;
	piece->length = whole;
	piece->own = true;
}

static inline void mutant_insert(struct mutant *mutant, size_t at, const struct mutant_piece *piece)
{
	struct mutant_piece copy = *piece; /* it may be one of the pieces that move */

	if (mutant->count == MUTANT_PIECES)
		return;
	memmove(mutant->pieces + at + 1, mutant->pieces + at, (mutant->count - at) * sizeof(*mutant->pieces));
	mutant->pieces[at] = copy;
	mutant->count++;
}

static inline void mutant_remove(struct mutant *mutant, size_t at)
{
	mutant->count--;
	memmove(mutant->pieces + at, mutant->pieces + at + 1, (mutant->count - at) * sizeof(*mutant->pieces));
}

/* Numbers at which reading code changes its behavior. */
static inline uint64_t mutant_number(struct random *random, uint64_t now)
{
	static const uint64_t edges[] = {0, 1, 2, 0x7f, 0x80, 0xff, 0x1000, 0xffff, 0x10000, RWK_MAX_MODULES, 1 << 20,
					 INT32_MAX, 0x80000000, UINT32_MAX, 0x100000000, INT64_MAX, 1ULL << 63,
					 UINT64_MAX, 0xffd2574b00000001, RWK_MAX_RAW_CHUNK, 1ULL << 47, 1ULL << 52};

	switch (random_below(random, 6)) {
	case 0:
		return now + 1;
	case 1:
		return now - 1;
	case 2:
		return random_below(random, 64);
	case 3:
		return random_next(random) >> random_below(random, 64);
	case 4:
		return now ^ 1ULL << random_below(random, 64);
	default:
		return edges[random_below(random, sizeof(edges) / sizeof(*edges))];
	}
}

static inline bool mutant_once_in(struct random *random, uint64_t times)
{
	return random_below(random, times) == 0;
}
