/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Registers and stack bytes as SNAPSHOT records hold them (FORMAT.md §12): as the difference to an
 * earlier snapshot of the same thread, its key, whose stack is mostly the same at the same
 * addresses; zeros and equal words cost next to nothing.
 */
#ifndef RWALKER_FORMAT_SNAPSHOT_CODE_H
#define RWALKER_FORMAT_SNAPSHOT_CODE_H

#include <stddef.h>

#include "format/event.h"
#include "format/limits.h"

enum { SNAPSHOT_WORD = 8, SNAPSHOT_WORDS = RWK_MAX_SNAPSHOT / SNAPSHOT_WORD, SNAPSHOT_BLOCKS = SNAPSHOT_WORDS / 64 };

struct snapshot { /* as recorded; in the reader, with room for all registers */
	uint64_t time, flags;
	uint64_t known; /* bit n: registers[n] is present */
	uint64_t registers[RWK_MAX_REGISTERS];
	uint64_t address; /* of words[0] */
	const uint64_t *words;
	uint32_t count;
	uint32_t more; /* number of a snapshot with another stack of the thread; 0: none */
};

/* Result of encoding a stack. */
struct snapshot_coded {
	size_t registers, stack; /* bytes */
	uint32_t literal;	 /* words that are neither zero nor equal to the key's */
	uint32_t filled;	 /* words that are not zero or equal the key's */
	/* Bit i % 64 of same[i / 64], below the snapshot's count: word i equals the key's. */
	uint64_t same[SNAPSHOT_BLOCKS];
};

/*
 * Encodes both texts; key: NULL for none. `registers` has room for RWK_MAX_REGISTERS * 10 bytes,
 * `stack` for RWK_MAX_SNAPSHOT_CODED. snapshot->count is at most SNAPSHOT_WORDS.
 */
void snapshot_encode(const struct snapshot *snapshot, const struct snapshot *key, uint8_t *registers, uint8_t *stack,
		     struct snapshot_coded *ret_coded);

/*
 * Decodes them. words: room for SNAPSHOT_WORDS; *ret_snapshot points to it. key: the decoded key of
 * the record, NULL if it has none. -EBADMSG if the record is malformed.
 */
int snapshot_decode(const struct event_snapshot *record, const struct snapshot *key, uint64_t *words,
		    struct snapshot *ret_snapshot);

#endif
