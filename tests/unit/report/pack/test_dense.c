/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/pack/dense.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

TEST_MAIN(TEST(known_bytes), TEST(any_bytes_read_back))
