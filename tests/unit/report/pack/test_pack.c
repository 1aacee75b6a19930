/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/pack/dense.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/view/columns/columns.h"
#include "tests/random.h"
#include "tests/test.h"

/* Written by hand: 13 bits are low + 91 * high, digits begin with "!\"#$%'()*". */
static const struct known {
	const char *bytes;
	size_t size;
	const char *text;
} known[] = {
	{"", 0, ""},
	{"\0", 1, "!!"},	   /* 8 bits are two digits */
	{"\1", 1, "\"!"},	   /* 1 = 1 + 91 * 0 */
	{"\133", 1, "!\""},	   /* 91 = 0 + 91 * 1 */
	{"\133\40", 2, "!\"\""},   /* bit 13 of 8192 + 91 is the first of the 3 that are left: one digit */
	{"\377\37", 2, "\"~!"},    /* 8191 = 1 + 91 * 90; the 3 bits are 0 */
	{"\0\0\4\0", 4, "!!C!!"},  /* bit 18 is bit 5 of the second pair: 32; the 6 bits are 0 */
};

static char *text_of(const void *bytes, size_t size)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return NULL;
	dense_write(bytes, size, out);
	return fclose(out) ? NULL : text;
}

static void known_bytes(struct test *t)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		char *text = text_of(known[i].bytes, known[i].size);

		CHECK(t, text && !strcmp(text, known[i].text));
		free(text);
	}
}

/* Bit by bit, as the header has it. */
static bool reads_back(const char *text, const uint8_t *bytes, size_t size)
{
	static const char left_out[] = "&<\\";
	size_t length = strlen(text), bit = 0;

	for (size_t i = 0; i < length; i += 2) {
		unsigned int value = 0, bits = i + 1 < length ? 13 : 6;

		for (size_t k = i + 2 > length ? length : i + 2; k-- > i;) {
			unsigned int digit = (unsigned char)text[k] - '!';

			for (const char *c = left_out; *c; c++)
				digit -= text[k] > *c;
			value = value * 91 + digit;
		}
		for (unsigned int b = 0; b < bits && bit < size * 8; b++, bit++)
			if ((bytes[bit / 8] >> bit % 8 & 1U) != (value >> b & 1U))
				return false;
	}
	return bit == size * 8;
}

static void any_bytes_read_back(struct test *t)
{
	struct random random = random_make(17);
	uint8_t bytes[9000];

	for (size_t size = 0; size < sizeof(bytes); size += size < 60 ? 1 : 997) {
		char *text;

		for (size_t i = 0; i < size; i++)
			bytes[i] = (uint8_t)random_below(&random, 256);
		text = text_of(bytes, size);
		CHECK(t, text && strlen(text) == dense_size(size));
		CHECK(t, text && !strpbrk(text, "&<\\ \n"));
		CHECK(t, text && reads_back(text, bytes, size));
		free(text);
	}
}

/* --- columns --- */

/* LEB128 and zigzag, written by hand. */
static const struct known_column {
	bool is_signed;
	int64_t value;
	size_t size;
	const char *bytes;
} known_column[] = {
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
	for (size_t i = 0; i < sizeof(known_column) / sizeof(known_column[0]); i++) {
		struct column column = {0};

		if (known_column[i].is_signed)
			column_add_signed(&column, known_column[i].value);
		else
			column_add(&column, (uint64_t)known_column[i].value);
		CHECK_INT(t, column.count, 1);
		CHECK_INT(t, column.bytes.count, known_column[i].size);
		CHECK(t, !memcmp(column.bytes.items, known_column[i].bytes, known_column[i].size));
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

TEST_MAIN(TEST(known_bytes), TEST(any_bytes_read_back), TEST(writes_varints),
	  TEST(cuts_what_is_too_large), TEST(takes_and_clears), TEST(names_are_there_once))
