/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/wrap.h"

#include <stdlib.h>

#include "tests/test.h"

struct folded {
	const char *text, *wanted;
	size_t column, width;
};

static void check_write(struct test *t, const struct folded *c)
{
	char *written = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&written, &size);

	REQUIRE(t, out);
	wrap_write(out, c->text, c->column, c->width);
	CHECK_INT(t, fclose(out), 0);
	CHECK_STR(t, written, c->wanted);
	free(written);
}

static void check_line(struct test *t, const struct folded *c)
{
	char *written = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&written, &size), *text;
	struct wrap line;

	REQUIRE(t, out);
	text = wrap_begin(&line, out, c->column, c->width);
	REQUIRE(t, text);
	for (const char *at = c->text; *at; at++)
		(void)fputc(*at, text);
	CHECK_INT(t, wrap_end(&line), 0);
	CHECK_INT(t, fclose(out), 0);
	CHECK_STR(t, written, c->wanted);
	free(written);
}

/* The first line is as narrow as the others: there are figures before it. */
static void behind_figures(struct test *t)
{
	static const struct folded cases[] = {
		{"short", "short", 4, 24},
		{"twenty characters ok", "twenty characters ok", 4, 24},
		{"twenty-one characters", "twenty-one\n    characters", 4, 24},
		{"grösser, länger, µ x", "grösser, länger, µ x", 4, 24}, /* characters, not bytes */
		{"namespace::function(argument)", "namespace::function(\n    argument)", 4, 24},
		{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaa\n    aaaaaaaaaa", 4, 24},
		{"a long text without a width", "a long text without a width", 4, 0},
		{"too little room to be read", "too little room to be read", 20, 24},
		{"\xff\xff\xff\xff broken text is bytes", "\xff\xff\xff\xff broken text is\n    bytes", 4, 24},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_write(t, &cases[i]);
}

/* Its first line has the whole width. */
static void a_line_in_pieces(struct test *t)
{
	static const struct folded cases[] = {
		{"", "\n", 4, 24},
		{"as it was written, without a terminal", "as it was written, without a terminal\n", 4, 0},
		{"exactly twenty-four here", "exactly twenty-four here\n", 4, 24},
		{"exactly twenty-four, and more of it", "exactly twenty-four, and\n    more of it\n", 4, 24},
		{"\033[31m22.98%\033[m  name in colours", "\033[31m22.98%\033[m  name in colours\n", 4, 24},
		{"\033[1;31m22.98%\033[m  a name and more Comms: sh",
		 "\033[1;31m22.98%\033[m  a name and more\n    Comms: sh\n", 4, 24},
		{"a name  (1 ms)  Comms: a", "a name  (1 ms)  Comms: a\n", 4, 24},
		{"a name  (12 ms)  Comms: a", "a name  (12 ms)\n    Comms: a\n", 4, 24}, /* between columns */
		/* Escape sequences that are no colours take room, whole or cut off. */
		{"\033[2J4567890123456789012345", "\033[2J45678901234567890123\n    45\n", 4, 24},
		{"1234567890123456789012345\033[", "123456789012345678901234\n    5\033[\n", 4, 24},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_line(t, &cases[i]);
}

TEST_MAIN(TEST(behind_figures), TEST(a_line_in_pieces))
