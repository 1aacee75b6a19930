/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The recorded frame-pointer chain, if the snapshot ended before the stack. */
#include "report/resolve/unwind/unwind_walk.h"

/*
 * The entry whose frame record the last frame's frame pointer points to, on whatever stack; else
 * the first one at or above sp, which belongs to the last frame or to one beyond.
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

/* For a tail without addresses of records: the entry after the outermost frame that both chains have. */
static size_t first_behind(const struct unwind_tail *tail, uint64_t mask, const struct unwind_chain *chain)
{
	for (size_t frame = chain->count; frame-- > 0;)
		for (size_t i = tail->count; i-- > 0;)
			if ((tail->addresses[i] & mask) == chain->addresses[frame])
				return i + 1;
	return tail->count;
}

void unwind_append_tail(const struct unwind_walk *walk, struct unwind_chain *chain)
{
	const struct unwind_tail *tail = &walk->snapshot->tail;
	struct unwind_mapping unused;
	size_t i = 0;

	if (tail->count)
		i = tail->frames ? first_above(tail, walk->last_sp, walk->last_fp) :
				   first_behind(tail, walk->address_mask, chain);
	for (; i < tail->count && chain->count < UNWIND_DEPTH; i++) {
		uint64_t address = tail->addresses[i] & walk->address_mask;

		if (!walk->space->find(walk->space->context, address - 1, &unused))
			break;
		chain->addresses[chain->count] = address;
		chain->how[chain->count++] = UNWIND_BY_TAIL;
	}
}
