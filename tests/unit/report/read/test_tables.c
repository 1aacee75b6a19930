/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The small tools used by the reader: the index table, the pool of texts. */
#include <stdlib.h>

#include "common/index_table.h"
#include "report/read/text_pool.h"
#include "tests/test.h"

struct numbers {
	const uint64_t *items;
	uint64_t wanted;
};

static bool same_number(const void *context, uint32_t number)
{
	const struct numbers *numbers = context;

	return numbers->items[number] == numbers->wanted;
}

/* Every number is added twice; the second time it must be where the first one was put. */
static void finds_what_was_put_in(struct test *t)
{
	enum { COUNT = 50000 };
	static uint64_t items[COUNT];
	struct index_table table;
	uint32_t count = 0, wrong = 0;

	REQUIRE(t, index_table_init(&table) == 0);
	for (uint32_t i = 0; i < 2 * COUNT; i++) {
		uint64_t value = (uint64_t)(i % COUNT) * 0x100000001;
		struct numbers numbers = {.items = items, .wanted = value};
		uint32_t hash = index_table_hash(&table, value, 0);
		struct index_slot *slot = index_table_find(&table, hash, same_number, &numbers);

		REQUIRE(t, slot != NULL);
		if (slot->number) {
			wrong += slot->number - 1 != i - COUNT;
			continue;
		}
		items[count] = value;
		index_table_set(&table, slot, hash, count++);
	}
	CHECK_INT(t, count, COUNT);
	CHECK_INT(t, wrong, 0);
	index_table_clear(&table);
	CHECK_INT(t, table.count, 0);
	index_table_deinit(&table);
}

static void wipes_no_more_than_was_used(struct test *t)
{
	struct index_table table;
	uint64_t item = 0;

	REQUIRE(t, index_table_init(&table) == 0);
	while (table.capacity < 1 << 16)
		REQUIRE(t, index_table_grow(&table) == 0);
	index_table_clear(&table);
	CHECK(t, table.capacity <= 64);
	for (int i = 0; i < 2; i++) {
		struct numbers numbers = {.items = &item, .wanted = 7};
		uint32_t hash = index_table_hash(&table, 7, 0);

		CHECK(t, index_table_lookup(&table, hash, same_number, &numbers) == NULL);
	}
	index_table_deinit(&table);
}

static void keeps_each_text_once(struct test *t)
{
	const char *a, *b, *c, *d, *moved;
	struct text_pool pool;
	char text[16];

	REQUIRE(t, text_pool_init(&pool) == 0);
	REQUIRE(t, text_pool_add(&pool, "abc", 3, &a) == 0);
	moved = a;
	for (int i = 0; i < 20000; i++) {
		int length = snprintf(text, sizeof(text), "%d", i);

		REQUIRE(t, text_pool_add(&pool, text, (size_t)length, &b) == 0);
		if (strcmp(b, text) != 0)
			CHECK_STR(t, b, text);
	}
	REQUIRE(t, text_pool_add(&pool, "abcd", 3, &b) == 0);
	REQUIRE(t, text_pool_add(&pool, "abc\0d", 5, &c) == 0);
	REQUIRE(t, text_pool_add(&pool, NULL, 0, &d) == 0);
	CHECK(t, a == b && a == moved);
	CHECK(t, a != c);
	CHECK_STR(t, c, "abc");
	CHECK_STR(t, d, "");
	CHECK_STR(t, a, "abc");
	text_pool_deinit(&pool);
}

TEST_MAIN(TEST(finds_what_was_put_in), TEST(wipes_no_more_than_was_used), TEST(keeps_each_text_once))
