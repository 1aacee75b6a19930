/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Where in an array of ascending addresses one lies: the space from the first to the last is divided into as many buckets as there
 * are addresses, so that a search begins next to its end, and not with a dozen places far apart in memory. Where the
 * addresses crowd in few buckets it is a binary search all the same. The array stays the caller's.
 */
#ifndef RWALKER_REPORT_RESOLVE_ADDRESS_BUCKETS_H
#define RWALKER_REPORT_RESOLVE_ADDRESS_BUCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct address_buckets {
	uint32_t *before; /* each bucket: how many addresses lie before it; one more at the end */
	unsigned int shift; /* a bucket is 2^shift bytes, the first one begins at the first address */
};

/* -ENOMEM, also of 2^32 addresses or more. */
int address_buckets_init(struct address_buckets *buckets, const uint64_t *addresses, size_t count);
void address_buckets_deinit(struct address_buckets *buckets);

/* The last of the addresses, which are those of the start, that is not behind this one. False: there is none. */
static inline bool address_buckets_find(const struct address_buckets *buckets, const uint64_t *addresses, size_t count,
					uint64_t address, size_t *ret_number)
{
	const uint64_t *base;
	uint64_t bucket;
	size_t at;

	if (!count || address < addresses[0])
		return false;
	/* In its bucket, or the last one before that. */
	bucket = (address < addresses[count - 1] ? address - addresses[0] : addresses[count - 1] - addresses[0]) >> buckets->shift;
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
