/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Sorting many items by a 64-bit key in time that grows with their number only: (key, number) pairs, byte by byte from
 * the least, leaving out bytes in which no two keys differ. Equal keys stay in the order they came in.
 */
#ifndef RWALKER_REPORT_READ_RADIX_SORT_H
#define RWALKER_REPORT_READ_RADIX_SORT_H

#include <stddef.h>
#include <stdint.h>

struct radix_key {
	uint64_t key;
	uint32_t number;
};

/* In place as the caller sees it; needs as much memory again while it runs. 0 or -ENOMEM. */
int radix_sort(struct radix_key **keys, size_t count);

#endif
