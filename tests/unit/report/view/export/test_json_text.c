/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/export/json_text.h"

#include <stdlib.h>

#include "tests/test.h"

struct paper {
	char *text;
	size_t size;
	struct json_text json;
};

static void begin(struct paper *paper)
{
	*paper = (struct paper){0};
	json_text_init(&paper->json, open_memstream(&paper->text, &paper->size));
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
		unsigned int places;
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
		json_text_point(&paper.json, NULL, cases[i].value, cases[i].places);
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
		json_text_name(&paper.json, NULL, cases[i].name);
		check(t, &paper, cases[i].wanted);
	}
}

/* Long names are escaped piece by piece, which no character may notice, wherever it is. */
static void characters_at_the_seams(struct test *t)
{
	static const char *const characters[] = {"\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
	char name[200], wanted[sizeof(name) + 2];

	for (size_t before = 55; before < 70; before++)
		for (size_t i = 0; i < 3; i++) {
			struct paper paper;

			(void)snprintf(name, sizeof(name), "%.*s%s%s%s%0100d", (int)before,
				       "----------------------------------------------------------------------",
				       characters[i], characters[2 - i], characters[i], 0);
			(void)snprintf(wanted, sizeof(wanted), "\"%s\"", name);
			begin(&paper);
			json_text_name(&paper.json, NULL, name);
			check(t, &paper, wanted);
		}
}

static void malformed_at_the_seams(struct test *t)
{
	char name[200], wanted[sizeof(name) * 5 + 3] = "\"";
	struct paper paper;

	memset(name, 0x80, sizeof(name));
	name[sizeof(name) - 1] = '\0';
	for (size_t i = 0; i < sizeof(name) - 1; i++)
		memcpy(wanted + 1 + 5 * i, "\\\\x80", 6);
	wanted[1 + 5 * (sizeof(name) - 1)] = '"';
	begin(&paper);
	json_text_name(&paper.json, NULL, name);
	check(t, &paper, wanted);
}

static void printable_text_in_parts(struct test *t)
{
	struct paper paper;

	begin(&paper);
	json_text_begin_array(&paper.json, NULL);
	json_text_printable(&paper.json, NULL, "\\x1b[<T>]");
	json_text_printable(&paper.json, NULL, "a\nb");
	json_text_begin_value(&paper.json, NULL);
	(void)fputc('"', paper.json.out);
	json_text_escape(paper.json.out, "a\"", 2);
	json_text_escape(paper.json.out, "&", 1);
	(void)fputc('"', paper.json.out);
	json_text_end_array(&paper.json);
	check(t, &paper, "[\"\\\\x1b[\\u003cT\\u003e]\",\"a\\u000ab\",\"a\\\"\\u0026\"]");
}

TEST_MAIN(TEST(decimals), TEST(hostile_names), TEST(characters_at_the_seams),
	  TEST(malformed_at_the_seams), TEST(printable_text_in_parts))
