/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The recorded frame-pointer chain, where the snapshot ended before the stack did. */
#include "report/resolve/unwind_walk.h"

/*
 * The entry whose frame record the last frame points to, on whatever stack; else the first one that lies at or above sp: it
 * belongs to the last frame, or to one beyond.
 */
static size_t first_above(const struct unwind_tail *tail, uint64_t sp, uint64_t fp)
{
	size_t i = 0;

	for (size_t at = 0; at < tail->count; at++)
		if (tail->frames[at] == fp)
			return at;
	while (i < tail->count && tail->frames[i] < sp)
		i++;
	return i;
}

/* Without places: behind the outermost frame that both chains have. */
static size_t first_behind(const struct unwind_tail *tail, uint64_t mask, const struct unwind_chain *chain)
{
	for (size_t frame = chain->count; frame-- > 0;)
		for (size_t i = tail->count; i-- > 0;)
			if ((tail->addresses[i] & mask) == chain->addresses[frame])
				return i + 1;
	return tail->count;
}

void unwind_append_tail(const struct unwind_tail *tail, uint64_t sp, uint64_t fp, uint64_t address_mask,
			struct unwind_chain *chain)
{
	size_t i = 0;

	if (tail->count)
		i = tail->frames ? first_above(tail, sp, fp) : first_behind(tail, address_mask, chain);
	for (; i < tail->count && chain->count < UNWIND_DEPTH; i++) {
		chain->addresses[chain->count] = tail->addresses[i] & address_mask;
		chain->how[chain->count++] = UNWIND_BY_TAIL;
	}
}
