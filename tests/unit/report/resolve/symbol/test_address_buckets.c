/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/symbol/address_buckets.h"

#include <stdlib.h>

#include "tests/random.h"
#include "tests/test.h"

enum { MOST = 300 };

/* Compared with a search from the front. */
static void check(struct test *t, const struct address_buckets *buckets, const uint64_t *addresses,
		  size_t count, uint64_t address)
{
	size_t wanted = 0, got = 0;

	while (wanted < count && addresses[wanted] <= address)
		wanted++;
	CHECK_INT(t, address_buckets_find(buckets, addresses, count, address, &got), wanted > 0);
	if (wanted)
		CHECK_INT(t, got, wanted - 1);
}

static void check_all(struct test *t, const uint64_t *addresses, size_t count)
{
	struct address_buckets buckets;

	REQUIRE(t, !address_buckets_init(&buckets, addresses, count));
	for (size_t i = 0; i < count; i++) {
		check(t, &buckets, addresses, count, addresses[i]);
		check(t, &buckets, addresses, count, addresses[i] - 1);
		check(t, &buckets, addresses, count, addresses[i] + 1);
	}
	check(t, &buckets, addresses, count, 0);
	check(t, &buckets, addresses, count, UINT64_MAX);
	address_buckets_deinit(&buckets);
}

static void few(struct test *t)
{
	const uint64_t ends[] = {0, 1, UINT64_MAX - 1, UINT64_MAX};

	check_all(t, ends, 0);
	for (size_t i = 0; i < 4; i++)
		for (size_t count = 1; count <= 4 - i; count++)
			check_all(t, ends + i, count);
}

/* Spread evenly, and most of them in one bucket. */
static void many(struct test *t)
{
	struct random random = random_make(1);
	uint64_t addresses[MOST];

	for (int round = 0; round < 100; round++) {
		uint64_t at = random_below(&random, 1000), step = UINT64_C(1) << random_below(&random, 40);

		for (size_t i = 0; i < MOST; i++) {
			at += 1 + random_below(&random, round % 2 && i % 100 ? 3 : step);
			addresses[i] = at;
		}
		check_all(t, addresses, MOST);
	}
}

TEST_MAIN(TEST(few), TEST(many))
