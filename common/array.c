/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/array.h"

#include <errno.h>
#include <stdlib.h>

static void sort_by_byte(const struct radix_key *from, struct radix_key *to, size_t count, unsigned int shift)
{
	size_t places[256] = {0}, sum = 0;

	for (size_t i = 0; i < count; i++)
		places[from[i].key >> shift & 0xff]++;
	for (size_t i = 0; i < 256; i++) {
		size_t here = places[i];

		places[i] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
		to[places[from[i].key >> shift & 0xff]++] = from[i];
}

int radix_sort(struct radix_key **keys, size_t count)
{
	struct radix_key *spare = calloc(count + 1, sizeof(*spare));
	uint64_t differ = 0;

	if (!spare)
		return -ENOMEM;
	for (size_t i = 1; i < count; i++)
		differ |= (*keys)[i].key ^ (*keys)[0].key;
	for (unsigned int shift = 0; shift < 64; shift += 8) {
		struct radix_key *sorted = spare;

		if (!(differ >> shift & 0xff))
			continue;
		sort_by_byte(*keys, spare, count, shift);
		spare = *keys;
		*keys = sorted;
	}
	free(spare);
	return 0;
}

/* --- address buckets --- */

int address_buckets_init(struct address_buckets *buckets, const uint64_t *addresses, size_t count)
{
	uint64_t span = count ? addresses[count - 1] - addresses[0] : 0;
	size_t number, at = 0;

	*buckets = (struct address_buckets){0};
	if (count >= UINT32_MAX)
		return -ENOMEM;
	while (buckets->shift < 63 && span >> buckets->shift > count)
		buckets->shift++;
	number = (size_t)(span >> buckets->shift) + 2;
	buckets->before = calloc(number, sizeof(*buckets->before));
	if (!buckets->before)
		return -ENOMEM;
	for (size_t i = 0; i < number; i++) {
		while (at < count && (addresses[at] - addresses[0]) >> buckets->shift < i)
			at++;
		buckets->before[i] = (uint32_t)at;
	}
	return 0;
}

void address_buckets_deinit(struct address_buckets *buckets)
{
	free(buckets->before);
	*buckets = (struct address_buckets){0};
}
