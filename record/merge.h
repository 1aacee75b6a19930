/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Several rings, each in the order of its times, read as one: which of them is next, and for how long it stays that. */
#ifndef RWALKER_RECORD_MERGE_H
#define RWALKER_RECORD_MERGE_H

#include <stdint.h>

/*
 * The index of the least of `count` (at least 1) times, UINT64_MAX standing for a ring that is empty; *ret_until: the least
 * of the others, up to which it may be read without asking again.
 */
static inline uint32_t merge_earliest(const uint64_t *times, uint32_t count, uint64_t *ret_until)
{
	uint64_t until = UINT64_MAX;
	uint32_t best = 0;

	for (uint32_t i = 1; i < count; i++) {
		if (times[i] < times[best]) {
			until = times[best];
			best = i;
		} else if (times[i] < until) {
			until = times[i];
		}
	}
	*ret_until = until;
	return best;
}

#endif
