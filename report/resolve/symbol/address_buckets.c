/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/symbol/address_buckets.h"

#include <errno.h>
#include <stdlib.h>

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
