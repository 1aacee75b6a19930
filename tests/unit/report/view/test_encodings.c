/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Bytes and names as the exports and the page write them. */
#include "report/export/export.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/file/pack.h"
#include "report/page/columns.h"
#include "report/report_output.h"
#include "tests/random.h"
#include "tests/test.h"

/* --- JSON --- */

struct paper {
	char *text;
	size_t size;
	struct json json;
};

static void begin(struct paper *paper)
{
	*paper = (struct paper){0};
	json_init(&paper->json, open_memstream(&paper->text, &paper->size));
}

static void check(struct test *t, struct paper *paper, const char *wanted)
{
	CHECK_INT(t, fclose(paper->json.out), 0);
	CHECK_STR(t, paper->text, wanted);
	free(paper->text);
}

static void decimals(struct test *t)
{
	static const struct {
		uint64_t value;
		int places;
		const char *wanted;
	} cases[] = {
		{0, 0, "0"}, {0, 3, "0.000"}, {5, 3, "0.005"}, {999, 3, "0.999"}, {1000, 3, "1.000"},
		{1234567, 3, "1234.567"}, {10, 0, "10"}, {UINT64_MAX, 0, "18446744073709551615"},
		{UINT64_MAX, 9, "18446744073.709551615"},
		{1, 18, "0.000000000000000001"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct paper paper;

		begin(&paper);
		json_write(&paper.json, "%.*ju", cases[i].places, cases[i].value);
		check(t, &paper, cases[i].wanted);
	}
}

static void hostile_names(struct test *t)
{
	static const struct {
		const char *name, *wanted;
	} cases[] = {
		{NULL, "\"\""},
		{"", "\"\""},
		{"plain \xc3\xa4", "\"plain \xc3\xa4\""},
		{"</script><!--&\"'", "\"\\u003c/script\\u003e\\u003c!--\\u0026\\\"'\""},
		{"a\\x1b", "\"a\\\\\\\\x1b\""}, /* to JSON's readers, as to those of other reports: a\\x1b */
		{"a\x1b", "\"a\\\\x1b\""},      /* and a\x1b */
		{"\n\t\x7f", "\"\\\\x0a\\\\x09\\\\x7f\""},
		{"\xff\xc3", "\"\\\\xff\\\\xc3\""},
		{"\xe2\x80\xae" "evil", "\"\\\\xe2\\\\x80\\\\xaeevil\""},	     /* turns the direction */
		{"\xe2\x80\xa8", "\"\\\\xe2\\\\x80\\\\xa8\""}, /* a line's end in JavaScript */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct paper paper;

		begin(&paper);
		json_write(&paper.json, "%-s", cases[i].name);
		check(t, &paper, cases[i].wanted);
	}
}

static void printable_text_in_parts(struct test *t)
{
	struct paper paper;

	begin(&paper);
	json_write(&paper.json, "[%s,%s", "\\x1b[<T>]", "a\nb");
	json_write(&paper.json, "'");
	json_escape(&paper.json, "a\"", 2);
	json_escape(&paper.json, "&", 1);
	(void)fputc('"', paper.json.out);
	json_write(&paper.json, "]");
	check(t, &paper, "[\"\\\\x1b[\\u003cT\\u003e]\",\"a\\u000ab\",\"a\\\"\\u0026\"]");
}

static void commas_and_lines(struct test *t)
{
	struct paper paper;

	begin(&paper);
	json_write(&paper.json, "{'none':[");
	json_write(&paper.json, "\n],'lines':[");
	json_write(&paper.json, "\n[%u,%zu,%jd]", UINT32_MAX, (size_t)0, INTMAX_MIN);
	json_write(&paper.json, "\n{");
	json_write(&paper.json, "'is':%d,'is not':%d", true, false);
	json_write(&paper.json, "'value':");
	json_write(&paper.json, "null}");
	json_write(&paper.json, "\n]}");
	check(t, &paper, "{\"none\":[],\"lines\":[\n[4294967295,0,-9223372036854775808],\n"
			 "{\"is\":true,\"is not\":false,\"value\":null}\n]}");
}

/* --- ascii stream --- */

/* `each`: so many bytes at a time. */
static void check_ascii(struct test *t, const char *text, const char *wanted, size_t each)
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
			check_ascii(t, cases[i].text, cases[i].wanted, each);
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

/* --- dense text and columns --- */

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

/* JavaScript has numbers below 2^53 exactly: 8 bytes of 7 bits, less 2. */
static void cuts_what_is_too_large(struct test *t)
{
	struct column column = {0};

	column_add(&column, UINT64_MAX);
	CHECK_INT(t, column.bytes.count, 8);
	CHECK(t, !memcmp(column.bytes.items, "\376\377\377\377\377\377\377\17", 8));
	array_free(&column.bytes);
}

static void names_are_there_once(struct test *t)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		CHECK(t, column_names[i] && column_names[i][0]);
		for (size_t k = 0; k < i && column_names[i]; k++)
			CHECK(t, strcmp(column_names[i], column_names[k]) != 0);
	}
}

TEST_MAIN(TEST(decimals), TEST(hostile_names), TEST(printable_text_in_parts), TEST(commas_and_lines),
	  TEST(signs_become_ascii), TEST(the_locale_decides),
	  TEST(any_bytes_read_back), TEST(cuts_what_is_too_large), TEST(names_are_there_once))
