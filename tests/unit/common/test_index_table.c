/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The table that numbers items which the caller keeps. */

#include "common/array.h"
#include "common/index_table.h"
#include "tests/test.h"

struct wanted {
	const uint32_t *things;
	uint32_t thing;
	size_t *asked; /* how often */
};

static bool same(const void *context, uint32_t number)
{
	const struct wanted *wanted = context;

	++*wanted->asked;
	return wanted->things[number] == wanted->thing;
}

/* All have the same hash: slow, but right. */
static void tells_apart_what_collides(struct test *t)
{
	static const uint32_t hashes[] = {0, UINT32_MAX, 63, 0x80000000};

	for (size_t k = 0; k < sizeof(hashes) / sizeof(hashes[0]); k++) {
		uint32_t things[200];
		size_t asked = 0;
		struct wanted wanted = {.things = things, .asked = &asked};
		struct index_table table;

		REQUIRE(t, !index_table_init(&table));
		for (uint32_t i = 0; i < 400; i++) {
			uint32_t number = UINT32_MAX;
			int r;

			wanted.thing = i % 200 + 7;
			r = index_table_add(&table, hashes[k], same, &wanted, i % 200, &number);
			if (r == 1 && number < 200)
				things[number] = wanted.thing;
			test_check(t, r == (i < 200) && number == i % 200, "thing %u: %d, number %u", i, r, number);
		}
		index_table_deinit(&table);
	}
}

TEST_MAIN(TEST(tells_apart_what_collides))
