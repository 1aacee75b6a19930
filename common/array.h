/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A growable array of any type: `ARRAY(struct mapping) maps = {0};`. Memory doubles; an element's
 * address is valid until the next push. The owner frees it with array_free().
 */
#ifndef RWALKER_COMMON_ARRAY_H
#define RWALKER_COMMON_ARRAY_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define ARRAY(type)                                                                                \
	struct {                                                                                   \
		type *items;                                                                       \
		size_t count, capacity;                                                            \
	}

/* Makes room for `wanted` elements of `size` bytes; 0 or -ENOMEM, the array is unchanged on failure. */
static inline int array_reserve_raw(void **items, size_t *capacity, size_t wanted, size_t size)
{
	size_t room = *capacity ? *capacity : 16, bytes;
	void *grown;

	if (wanted <= *capacity)
		return 0;
	while (room < wanted)
		if (__builtin_mul_overflow(room, 2, &room))
			return -ENOMEM;
	if (__builtin_mul_overflow(room, size, &bytes))
		return -ENOMEM;
	grown = realloc(*items, bytes);
	if (!grown)
		return -ENOMEM;
	*items = grown;
	*capacity = room;
	return 0;
}

#define array_reserve(array, wanted)                                                               \
	array_reserve_raw((void **)&(array)->items, &(array)->capacity, (wanted), sizeof(*(array)->items))

/* Appends a copy of `value`; 0 or -ENOMEM. */
#define array_push(array, ...)                                                                     \
	(array_reserve((array), (array)->count + 1) ?                                              \
		 -ENOMEM :                                                                         \
		 ((array)->items[(array)->count++] = (__VA_ARGS__), 0))

#define array_free(array)                                                                          \
	do {                                                                                       \
		free((array)->items);                                                              \
		(array)->items = NULL;                                                             \
		(array)->count = (array)->capacity = 0;                                            \
	} while (0)

/*
 * Binary search in whatever is in order: an array, a window of a ring, an order beside the items.
 *
 * SORTED_FIRST(i, count, holds) is the first i below `count` for which the expression `holds` is
 * true, or `count` if there is none. `i` is a size_t that exists in the expression only. The
 * expression must be false up to some place and true from there on; it is evaluated at most
 * log2(count) + 1 times, and never if `count` is 0. The usual searches:
 *
 *	above = SORTED_FIRST(i, count, items[i].address > address);  the last one at or below it is items[above - 1]
 *	place = SORTED_FIRST(i, count, items[i].number >= number);   if the number is there, it is in items[place]
 *
 * Searches that are made for every frame are loops without a branch instead: address_buckets below,
 * cfi_rows.c, cfi.c.
 */
/* For qsort(): -1, 0, 1. A chain of them: COMPARE(l->time, r->time) ?: COMPARE(l->number, r->number). */
#define COMPARE(left, right) (((left) > (right)) - ((left) < (right)))

#define SORTED_FIRST(i, count, holds)                                                              \
	({                                                                                         \
		size_t sorted_low = 0, sorted_high = (count);                                      \
                                                                                                   \
		while (sorted_low < sorted_high) {                                                 \
			size_t i = sorted_low + (sorted_high - sorted_low) / 2;                    \
                                                                                                   \
			if (holds)                                                                 \
				sorted_high = i;                                                  \
			else                                                                       \
				sorted_low = i + 1;                                                \
		}                                                                                  \
		sorted_low;                                                                        \
	})

/*
 * Sorts items by a 64-bit key in time linear in their number: (key, number) pairs, byte by byte
 * from the least significant, skipping bytes in which all keys are equal. The sort is stable.
 */
struct radix_key {
	uint64_t key;
	uint32_t number;
};

/* In place for the caller; needs the same amount of memory again while it runs. 0 or -ENOMEM. */
int radix_sort(struct radix_key **keys, size_t count);

/*
 * Searches an array of ascending addresses: the range from the first to the last is divided into as
 * many buckets as there are addresses, so that a search starts close to its result, instead of
 * probing a dozen places far apart in memory. If the addresses crowd in few buckets it degrades to
 * a binary search. The caller keeps the array.
 */
struct address_buckets {
	uint32_t *before; /* per bucket: number of addresses before it; one more entry at the end */
	unsigned int shift; /* a bucket is 2^shift bytes, the first one starts at the first address */
};

/* -ENOMEM, also for 2^32 addresses or more. */
int address_buckets_init(struct address_buckets *buckets, const uint64_t *addresses, size_t count);
void address_buckets_deinit(struct address_buckets *buckets);

/* Finds the last address at or below this one; `addresses` as passed to the init. False: there is none. */
static inline bool address_buckets_find(const struct address_buckets *buckets,
					const uint64_t *addresses, size_t count, uint64_t address,
					size_t *ret_number)
{
	const uint64_t *base;
	uint64_t bucket;
	size_t at;

	if (!count || address < addresses[0])
		return false;
	/* It is in this bucket, or the last one before it. */
	bucket = address < addresses[count - 1] ? address : addresses[count - 1];
	bucket = (bucket - addresses[0]) >> buckets->shift;
	at = buckets->before[bucket] - (buckets->before[bucket] > 0);
	count = buckets->before[bucket + 1] - at;
	base = addresses + at;
	while (count > 1) {
		size_t half = count / 2;

		base += base[half] <= address ? half : 0;
		count -= half;
	}
	*ret_number = (size_t)(base - addresses);
	return true;
}

#endif
