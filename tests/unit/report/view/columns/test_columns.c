/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/columns/columns.h"

#include <stdbool.h>
#include <string.h>

#include "tests/test.h"

/* LEB128 and zigzag, written by hand. */
static const struct known {
	bool is_signed;
	int64_t value;
	size_t size;
	const char *bytes;
} known[] = {
	{false, 0, 1, "\0"},
	{false, 127, 1, "\177"},
	{false, 128, 2, "\200\1"},
	{false, 300, 2, "\254\2"},
	{false, 16384, 3, "\200\200\1"},
	{true, 0, 1, "\0"},
	{true, -1, 1, "\1"},
	{true, 1, 1, "\2"},
	{true, -64, 1, "\177"},
	{true, 64, 2, "\200\1"},
};

static void writes_varints(struct test *t)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct column column = {0};

		if (known[i].is_signed)
			column_add_signed(&column, known[i].value);
		else
			column_add(&column, (uint64_t)known[i].value);
		CHECK_INT(t, column.count, 1);
		CHECK_INT(t, column.bytes.count, known[i].size);
		CHECK(t, !memcmp(column.bytes.items, known[i].bytes, known[i].size));
		array_free(&column.bytes);
	}
}

/* JavaScript has numbers below 2^53 exactly: 8 bytes of 7 bits, less 2. */
static void cuts_what_is_too_large(struct test *t)
{
	struct column column = {0};

	column_add(&column, UINT64_MAX);
	CHECK_INT(t, column.bytes.count, 8);
	CHECK(t, !memcmp(column.bytes.items, "\376\377\377\377\377\377\377\17", 8));
	array_free(&column.bytes);
}

static void takes_and_clears(struct test *t)
{
	struct columns columns = {0};
	struct column part = {0};

	column_add(&part, 300);
	column_add(&columns.items[COLUMN_WAIT_GAP], 1);
	column_take(&columns.items[COLUMN_WAIT_GAP], &part);
	CHECK_INT(t, part.count, 0);
	CHECK_INT(t, columns.items[COLUMN_WAIT_GAP].count, 2);
	CHECK_INT(t, columns_bytes(&columns, 0, COLUMNS), 3);
	CHECK_INT(t, columns_bytes(&columns, COLUMN_WAIT_SLEEP, COLUMNS), 0);
	columns_clear(&columns, COLUMN_WAIT_GAP, COLUMN_WAIT_GAP + 1);
	CHECK_INT(t, columns_bytes(&columns, 0, COLUMNS), 0);
	columns.items[COLUMN_TASK_TID].failed = true;
	CHECK_INT(t, columns_status(&columns), -ENOMEM);
	columns_deinit(&columns);
}

static void names_are_there_once(struct test *t)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		CHECK(t, column_names[i] && column_names[i][0]);
		for (size_t k = 0; k < i && column_names[i]; k++)
			CHECK(t, strcmp(column_names[i], column_names[k]) != 0);
	}
}

TEST_MAIN(TEST(writes_varints), TEST(cuts_what_is_too_large), TEST(takes_and_clears), TEST(names_are_there_once))
