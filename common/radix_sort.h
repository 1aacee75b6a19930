/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Sorts items by a 64-bit key in time linear in their number: (key, number) pairs, byte by byte
 * from the least significant, skipping bytes in which all keys are equal. The sort is stable.
 */
#ifndef RWALKER_COMMON_RADIX_SORT_H
#define RWALKER_COMMON_RADIX_SORT_H

#include <stddef.h>
#include <stdint.h>

struct radix_key {
	uint64_t key;
	uint32_t number;
};

/* In place for the caller; needs the same amount of memory again while it runs. 0 or -ENOMEM. */
int radix_sort(struct radix_key **keys, size_t count);

#endif
