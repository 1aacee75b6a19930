/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
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
 * Searches that are made for every frame are loops without a branch instead: address_buckets.h,
 * cfi_rows.c, cfi_section.c, name_frames.c.
 */
#ifndef RWALKER_COMMON_SORTED_H
#define RWALKER_COMMON_SORTED_H

#include <stddef.h>

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

#endif
