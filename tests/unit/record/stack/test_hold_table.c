/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Whose items are held: all for which a set has places, and the latest. */
#include "record/stack/hold_table.h"

#include "tests/test.h"

enum { ONE_SET = HOLD_WAYS, LARGE = 1024, LEAST = 64, FIRST = 5000 };

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

static void what_was_taken_makes_room(struct test *t)
{
	struct hold_table table;

	table_open(&table, ONE_SET);
	REQUIRE(t, table.count == ONE_SET);
	for (uint32_t n = 0; n < HOLD_WAYS; n++)
		put(&table, n);
	CHECK(t, take(&table, HOLD_WAYS - 1)); /* the latest */
	CHECK(t, !take(&table, HOLD_WAYS - 1));
	put(&table, HOLD_WAYS);
	for (uint32_t n = 0; n <= HOLD_WAYS; n++)
		CHECK(t, take(&table, n) == (n != HOLD_WAYS - 1));
	hold_table_deinit(&table);
}

static void a_thread_has_one_place(struct test *t)
{
	struct hold_table table;
	uint32_t place, other;

	table_open(&table, ONE_SET);
	REQUIRE(t, table.count == ONE_SET);
	for (uint32_t n = 0; n < HOLD_WAYS; n++)
		put(&table, n);
	place = hold_table_put(&table, FIRST + 2, 777);
	CHECK(t, !take(&table, 2)); /* an earlier wait of the thread */
	CHECK(t, hold_table_take(&table, FIRST + 2, 777, &other) && other == place);
	CHECK(t, !hold_table_take(&table, FIRST + 2, 0, &other)); /* a free place is no wait at 0 */
	for (uint32_t n = 0; n < HOLD_WAYS; n++)
		CHECK(t, take(&table, n) == (n != 2));
	hold_table_deinit(&table);
}

/* For half as many threads as places, whose numbers are this far apart: how many are held. */
static uint32_t held(uint32_t first, uint32_t apart)
{
	struct hold_table table;
	uint32_t count = 0, place;

	table_open(&table, LARGE);
	for (uint32_t n = 0; n < table.count / 2; n++)
		(void)hold_table_put(&table, first + n * apart, 100 + n);
	for (uint32_t n = 0; n < table.count / 2; n++)
		count += hold_table_take(&table, first + n * apart, 100 + n, &place);
	hold_table_deinit(&table);
	return count;
}

static void collisions_are_rare(struct test *t)
{
	for (uint32_t first = 1; first < 4000000; first += 99991)
		CHECK_INT(t, held(first, 1), LARGE / 2); /* threads of one process */
	for (uint32_t apart = 2; apart <= 4096; apart *= 2)
		CHECK(t, held(FIRST, apart) >= LARGE / 2 * 15 / 16);
}

static void the_size_is_the_hosts(struct test *t)
{
	static const struct {
		struct hold_limits limits;
		uint32_t count;
	} cases[] = {
		{{.threads = 3, .least = LEAST, .place = 8, .most = 1 << 20}, LEAST},
		{{.threads = 300, .least = LEAST, .place = 8, .most = 1 << 20}, 1024}, /* 600, and a power of two */
		{{.threads = UINT32_MAX, .least = LEAST, .place = 8, .most = 1 << 20}, (1 << 20) / 8},
		{{.threads = 3, .least = LEAST, .place = 1 << 10, .most = 10 << 10}, 8}, /* memory is the limit */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct hold_table table;

		CHECK_INT(t, hold_table_init(&table, &cases[i].limits), 0);
		CHECK_INT(t, table.count, cases[i].count);
		hold_table_deinit(&table);
	}
}

TEST_MAIN(TEST(a_full_set_loses_one), TEST(threads_that_take_turns_keep_some), TEST(what_was_taken_makes_room),
	  TEST(a_thread_has_one_place), TEST(collisions_are_rare), TEST(the_size_is_the_hosts))
