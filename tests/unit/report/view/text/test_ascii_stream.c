/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/ascii_stream.h"

#include <stdlib.h>

#include "tests/test.h"

/* `each`: so many bytes at a time. */
static void check(struct test *t, const char *text, const char *wanted, size_t each)
{
	char *written = NULL;
	size_t size = 0, length = strlen(text);
	FILE *out = open_memstream(&written, &size), *stream;

	REQUIRE(t, out);
	stream = ascii_stream_open(out);
	REQUIRE(t, stream);
	(void)setvbuf(stream, NULL, _IONBF, 0);
	for (size_t i = 0; i < length; i += each)
		(void)fwrite(text + i, 1, length - i < each ? length - i : each, stream);
	CHECK_INT(t, fclose(stream), 0);
	CHECK_STR(t, written, wanted);
	free(written);
}

static void signs_become_ascii(struct test *t)
{
	static const struct {
		const char *text, *wanted;
	} cases[] = {
		{"", ""},
		{"plain", "plain"},
		{"≥2.503 s", ">=2.503 s"},
		{"a ≤1 ± 2 µs → b", "a <=1 +- 2 us -> b"},
		{"≥≥", ">=>="},
		{"größe, 中, €", "größe, 中, €"},	       /* names keep their letters */
		{"\xe2\x89", "\xe2\x89"},		       /* a sign that never ends */
		{"\xe2\x89" "a≥", "\xe2\x89" "a>="},
		{"\xff\xfe≥\xe2", "\xff\xfe>=\xe2"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (size_t each = 1; each < 5; each++)
			check(t, cases[i].text, cases[i].wanted, each);
}

static void the_locale_decides(struct test *t)
{
	static const struct {
		const char *all, *ctype, *lang;
		bool ascii;
	} cases[] = {
		{NULL, NULL, NULL, true},	{"C", NULL, "en_GB.UTF-8", true}, {"C.UTF-8", "C", "C", false},
		{"", "POSIX", "C.utf8", true},	{NULL, "de_DE.utf8", "C", false}, {NULL, NULL, "en_GB.UTF-8", false},
		{NULL, NULL, "de_DE@euro", true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
		const char *const values[] = {cases[i].all, cases[i].ctype, cases[i].lang};

		for (size_t v = 0; v < 3; v++)
			(void)(values[v] ? setenv(names[v], values[v], 1) : unsetenv(names[v]));
		test_check(t, ascii_stream_is_needed() == cases[i].ascii, "case %zu", i);
	}
}

static void a_full_disk_is_noticed(struct test *t)
{
	FILE *full = fopen("/dev/full", "w"), *stream;

	REQUIRE(t, full);
	stream = ascii_stream_open(full);
	REQUIRE(t, stream);
	(void)fputs("≥ and more", stream);
	CHECK(t, fclose(stream) != 0);
}

TEST_MAIN(TEST(signs_become_ascii), TEST(the_locale_decides), TEST(a_full_disk_is_noticed))
