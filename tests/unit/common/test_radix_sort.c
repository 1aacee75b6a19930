/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/radix_sort.h"

#include <stdlib.h>

#include "tests/test.h"

static int compare_keys(const void *one, const void *two)
{
	const struct radix_key *a = one, *b = two;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* The oracle is qsort, with the number as the second key, which is what stability means. */
static void sorts_as_qsort_does(struct test *t)
{
	enum { COUNT = 10000 };
	static const uint64_t masks[] = {0, 0xff, 0xff00ff, UINT64_MAX, 0xf000000000000000};
	struct radix_key *keys = calloc(COUNT, sizeof(*keys)), *expected = calloc(COUNT, sizeof(*expected));
	uint64_t state = 42;

	REQUIRE(t, keys && expected);
	for (size_t m = 0; m < sizeof(masks) / sizeof(masks[0]); m++) {
		for (uint32_t i = 0; i < COUNT; i++) {
			state = state * 6364136223846793005 + 1442695040888963407;
			keys[i] = expected[i] = (struct radix_key){
				.key = (state ^ state >> 29) & masks[m], .number = i};
		}
		REQUIRE(t, radix_sort(&keys, COUNT) == 0);
		qsort(expected, COUNT, sizeof(*expected), compare_keys);
		for (uint32_t i = 0; i < COUNT; i++)
			if (keys[i].number != expected[i].number) {
				CHECK_INT(t, keys[i].number, expected[i].number);
				break;
			}
		CHECK_INT(t, keys[COUNT - 1].key, expected[COUNT - 1].key);
	}
	CHECK(t, radix_sort(&keys, 0) == 0);
	free(keys);
	free(expected);
}

TEST_MAIN(TEST(sorts_as_qsort_does))
