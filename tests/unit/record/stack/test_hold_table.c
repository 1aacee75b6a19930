/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Whose items are held: all for which a set has places, and the latest. */
#include "record/stack/hold_table.h"

#include "tests/test.h"

enum { ONE_SET = HOLD_WAYS, FIRST = 5000 };

static void table_open(struct hold_table *table, uint32_t places)
{
	const struct hold_limits limits = {.threads = 0, .least = places, .place = 1, .most = places};

	*table = (struct hold_table){0};
	if (hold_table_init(table, &limits) < 0)
		table->count = 0;
}

/* Thread FIRST + n leaves the CPU at 100 + n. */
static void put(struct hold_table *table, uint32_t n)
{
	(void)hold_table_put(table, FIRST + n, 100 + n);
}

static bool take(struct hold_table *table, uint32_t n)
{
	uint32_t place;

	return hold_table_take(table, FIRST + n, 100 + n, &place);
}

/* The latest evicts one, and no more. */
static void a_full_set_loses_one(struct test *t)
{
	struct hold_table table;
	uint32_t held = 0;

	table_open(&table, ONE_SET);
	REQUIRE(t, table.count == ONE_SET);
	for (uint32_t n = 0; n <= HOLD_WAYS; n++)
		put(&table, n);
	CHECK(t, take(&table, HOLD_WAYS));
	for (uint32_t n = 0; n < HOLD_WAYS; n++)
		held += take(&table, n);
	CHECK_INT(t, held, HOLD_WAYS - 1);
	hold_table_deinit(&table);
}

/* One thread more than there are places, each coming back at once: not all of them lose theirs. */
static void threads_that_take_turns_keep_some(struct test *t)
{
	enum { TURNS = 1000, THREADS = HOLD_WAYS + 1 };
	struct hold_table table;
	uint32_t kept = 0, place;

	table_open(&table, ONE_SET);
	REQUIRE(t, table.count == ONE_SET);
	for (uint64_t n = 0; n < TURNS * THREADS; n++) {
		uint32_t tid = FIRST + n % THREADS;

		kept += n >= THREADS && hold_table_take(&table, tid, 1000 * (n - THREADS) + 1, &place);
		(void)hold_table_put(&table, tid, 1000 * n + 1);
	}
	CHECK(t, kept > TURNS * THREADS / 3);
	hold_table_deinit(&table);
}

TEST_MAIN(TEST(a_full_set_loses_one), TEST(threads_that_take_turns_keep_some))
