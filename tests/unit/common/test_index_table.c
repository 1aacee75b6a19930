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

static void numbers_each_once(struct test *t)
{
	enum { THINGS = 100000, RANGE = 30000 };
	struct index_table table;
	uint32_t *things = calloc(RANGE, sizeof(*things)), *number_of = calloc(RANGE, sizeof(*number_of)), state = 1;
	size_t count = 0, asked = 0;

	REQUIRE(t, things && number_of && !index_table_init(&table));
	for (size_t i = 0; i < THINGS; i++) {
		uint32_t number, thing = (state = state * 1664525 + 1013904223) >> 8;
		struct wanted wanted = {.things = things, .thing = thing % RANGE, .asked = &asked};
		int r = index_table_add(&table, index_table_hash_words(&table, &wanted.thing, 1), same, &wanted,
					 (uint32_t)count, &number);

		if (r == 1) {
			things[count] = wanted.thing;
			number_of[wanted.thing] = (uint32_t)count++ + 1;
		}
		if (r < 0 || number + 1 != number_of[wanted.thing]) {
			test_check(t, 0, "thing %u has number %u, not %u", wanted.thing, number,
				   number_of[wanted.thing] - 1);
			break;
		}
	}
	CHECK_INT(t, table.count, count);
	CHECK(t, count > RANGE / 2);
	CHECK(t, asked < THINGS + 100); /* items with another hash are not compared */
	index_table_deinit(&table);
	free(things);
	free(number_of);
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

static void hashes_all_words(struct test *t)
{
	static const uint32_t one[] = {1, 2, 3}, other[] = {1, 2, 4}, turned[] = {3, 2, 1};
	struct index_table table, second;

	REQUIRE(t, !index_table_init(&table) && !index_table_init(&second));
	CHECK(t, index_table_hash_words(&table, one, 3) == index_table_hash_words(&table, one, 3));
	CHECK(t, index_table_hash_words(&table, one, 3) != index_table_hash_words(&table, other, 3));
	CHECK(t, index_table_hash_words(&table, one, 3) != index_table_hash_words(&table, turned, 3));
	/* A seed of its own. */
	CHECK(t, index_table_hash_words(&table, one, 3) != index_table_hash_words(&second, one, 3));
	index_table_deinit(&table);
	index_table_deinit(&second);
}

TEST_MAIN(TEST(numbers_each_once), TEST(tells_apart_what_collides), TEST(hashes_all_words))
