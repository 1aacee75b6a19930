/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Binary search: places counted by hand in a small array with equal items, then all places in
 * arrays of every small size against a walk from the front, with a bound on how often the
 * condition is asked.
 */
#include "common/sorted.h"

#include <stdbool.h>
#include <stdint.h>

#include "tests/random.h"
#include "tests/test.h"

enum { MAX_ITEMS = 70 };

struct item {
	const char *name;
	uint64_t address;
};

static void finds_places(struct test *t)
{
	static const struct item items[] = {{"a", 0}, {"b", 3}, {"c", 3}, {"d", 3}, {"e", 9}, {"f", UINT64_MAX}};
	static const struct {
		uint64_t address;
		size_t above, from;
	} cases[] = {{0, 1, 0}, {1, 1, 1}, {2, 1, 1}, {3, 4, 1}, {4, 4, 4}, {8, 4, 4},
		     {9, 5, 4}, {10, 5, 5}, {UINT64_MAX - 1, 5, 5}, {UINT64_MAX, 6, 5}};

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		uint64_t address = cases[c].address;

		CHECK_INT(t, SORTED_FIRST(i, 6, items[i].address > address), cases[c].above);
		CHECK_INT(t, SORTED_FIRST(i, 6, items[i].address >= address), cases[c].from);
	}
}

static bool count_and_compare(const uint32_t *number, uint32_t limit, size_t *asked)
{
	++*asked;
	return *number >= limit;
}

static size_t most_questions(size_t count)
{
	size_t most = 0;

	for (; count; count /= 2)
		most++;
	return most;
}

static void agrees_with_a_walk(struct test *t)
{
	struct random random = random_make(4711);
	uint32_t numbers[MAX_ITEMS];

	for (size_t count = 0; count <= MAX_ITEMS; count++) {
		uint32_t last = 0;

		for (size_t i = 0; i < count; i++)
			numbers[i] = last += (uint32_t)random_below(&random, 3);
		for (uint32_t limit = 0; limit <= last + 1; limit++) {
			size_t walked = 0, asked = 0;

			while (walked < count && numbers[walked] < limit)
				walked++;
			CHECK_INT(t, SORTED_FIRST(i, count, count_and_compare(&numbers[i], limit, &asked)), walked);
			CHECK(t, asked <= most_questions(count));
		}
	}
}

static void is_an_expression(struct test *t)
{
	static const uint32_t rows[3][2] = {{1, 4}, {6, 8}, {9, 12}};

	/* Nested, and with an index that hides the outer one. */
	size_t i = SORTED_FIRST(i, 3, SORTED_FIRST(j, 2, rows[i][j] > 7) < 2);

	CHECK_INT(t, i, 1);
	CHECK_INT(t, SORTED_FIRST(i, i + 1, rows[i][0] > 1), 1); /* the count uses the outer i */
}

TEST_MAIN(TEST(finds_places), TEST(agrees_with_a_walk), TEST(is_an_expression))
