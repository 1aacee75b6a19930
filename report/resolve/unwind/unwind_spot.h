/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the unwinder remembers about the addresses of frames: what is there, and which caller it
 * found the last time. Both tables are direct-mapped caches: a new entry replaces the one in the
 * slot of its hash. Included by the unwinder only.
 */
#ifndef RWALKER_REPORT_RESOLVE_UNWIND_UNWIND_SPOT_H
#define RWALKER_REPORT_RESOLVE_UNWIND_UNWIND_SPOT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/hash.h"

enum { UNWIND_SPOT_BITS = 14, UNWIND_RETURN_BITS = 12 };

/* What is at an address of a space. */
struct unwind_spot {
	uint64_t generation; /* 0: free */
	uint64_t key;	     /* pc and exactness */
	uint32_t rule;
	uint32_t epoch;	 /* epoch of the rows, on which rule numbers depend */
	uint32_t caller; /* the spot of the last caller reached from here: a prediction for the next time */
	uint8_t place;	 /* enum unwind_place */
};

/* The last caller of a frame at that position, for code with several callers. */
struct unwind_return {
	uint64_t cfa;
	uint32_t from, to; /* spots */
};

static inline uint64_t unwind_key(uint64_t pc, bool exact)
{
	return pc << 1 | exact;
}

/* The only slot where the entry can be. */
static inline uint32_t unwind_spot_number(uint64_t generation, uint64_t key)
{
	return hash_slot(key ^ generation << 32, UNWIND_SPOT_BITS);
}

static inline uint32_t unwind_return_number(uint64_t cfa, uint32_t from)
{
	return hash_slot(cfa ^ (uint64_t)from << 32, UNWIND_RETURN_BITS);
}

static inline bool unwind_spot_is(const struct unwind_spot *spot, uint64_t generation, uint64_t key,
				  uint32_t epoch)
{
	return spot->key == key && spot->generation == generation && spot->epoch == epoch;
}

#endif
