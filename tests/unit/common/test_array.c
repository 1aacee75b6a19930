/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The growable array and the scope guards, both too small for a test of their own. */
#include "common/array.h"

#include <fcntl.h>
#include <stdint.h>

#include "common/cleanup.h"
#include "tests/test.h"

static void grows(struct test *t)
{
	ARRAY(struct {
		uint64_t square;
		char tag;
	}) array = {0};

	for (uint64_t i = 0; i < 10000; i++) {
		CHECK_INT(t, array_push(&array, (__typeof__(*array.items)){i * i, 'x'}), 0);
		CHECK(t, array.count == i + 1 && array.count <= array.capacity);
	}
	for (uint64_t i = 0; i < 10000; i++)
		CHECK(t, array.items[i].square == i * i && array.items[i].tag == 'x');
	CHECK(t, array.capacity < 20000);
	array_free(&array);
	CHECK(t, !array.items && !array.count && !array.capacity);
}

static void keeps_what_it_has_when_memory_ends(struct test *t)
{
	ARRAY(uint64_t) array = {0};
	volatile size_t all = SIZE_MAX; /* the compiler need not know */
	uint64_t *before;

	CHECK_INT(t, array_push(&array, 7), 0);
	before = array.items;
	CHECK_INT(t, array_reserve(&array, all), -ENOMEM);
	CHECK_INT(t, array_reserve(&array, all / 8), -ENOMEM);
	CHECK_INT(t, array_reserve(&array, all / 16 + 2), -ENOMEM);
	CHECK(t, array.items == before && array.count == 1 && array.items[0] == 7);
	CHECK_INT(t, array_reserve(&array, 1000), 0);
	CHECK(t, array.capacity >= 1000 && array.count == 1 && array.items[0] == 7);
	array_free(&array);
}

TEST_MAIN(TEST(grows), TEST(keeps_what_it_has_when_memory_ends))
