/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Searches an array of ascending addresses: the range from the first to the last is divided into as
 * many buckets as there are addresses, so that a search starts close to its result, instead of
 * probing a dozen places far apart in memory. If the addresses crowd in few buckets it degrades to
 * a binary search. The caller keeps the array.
 */
#ifndef RWALKER_REPORT_RESOLVE_SYMBOL_ADDRESS_BUCKETS_H
#define RWALKER_REPORT_RESOLVE_SYMBOL_ADDRESS_BUCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
