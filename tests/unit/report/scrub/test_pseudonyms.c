/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/scrub/pseudonyms.h"

#include <stdlib.h>

#include "tests/test.h"

static const uint8_t KEY[PSEUDONYM_KEY] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
					   17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};

static struct pseudonyms *table(uint8_t first_byte, size_t digits)
{
	struct pseudonyms *names;
	uint8_t key[PSEUDONYM_KEY];

	memcpy(key, KEY, sizeof(key));
	key[0] = first_byte;
	if (pseudonyms_create(key, digits, &names) < 0)
		abort();
	return names;
}

static const char *make(struct pseudonyms *names, enum pseudonym_class class, const char *name)
{
	const char *text;

	return pseudonyms_make(names, class, name, strlen(name), &text) ? "" : text;
}

/*
 * Computed by hand, with openssl: printf '\1postgres' | openssl dgst -sha256 -mac HMAC -macopt
 * hexkey:0102...1f20; the first 65 bits in base 32, for the others as many hexadecimal digits as
 * they have.
 */
static void is_hmac_in_base_32(struct test *t)
{
	struct pseudonyms *names = table(1, PSEUDONYM_DIGITS);

	CHECK_STR(t, make(names, PSEUDONYM_COMM, "postgres"), "c_3dp5qm912mz2z");
	CHECK_STR(t, make(names, PSEUDONYM_FUNCTION, "postgres"), "fn_gr4jqyne5ax66");
	CHECK_STR(t, make(names, PSEUDONYM_BPF, "bpf_prog_0123456789abcdef_ours"), "bpf_prog_cfa6f792125b3d96");
	CHECK_STR(t, make(names, PSEUDONYM_BUILD_ID, "c0ffee"), "aaf354b701874b15286d124c81c0acb8043b45d5");
	pseudonyms_destroy(names);
}

static void depends_on_key_and_class(struct test *t)
{
	struct pseudonyms *one = table(1, PSEUDONYM_DIGITS), *same = table(1, PSEUDONYM_DIGITS),
			  *other = table(2, PSEUDONYM_DIGITS);
	const char *text = make(one, PSEUDONYM_FILE, "payroll");

	CHECK(t, text == make(one, PSEUDONYM_FILE, "payroll"));
	CHECK_STR(t, make(same, PSEUDONYM_FILE, "payroll"), text);
	CHECK(t, strcmp(make(other, PSEUDONYM_FILE, "payroll"), text) != 0);
	CHECK(t, strcmp(make(one, PSEUDONYM_SOURCE, "payroll") + strlen("src_"), text + strlen("file_")) != 0);
	CHECK(t, strcmp(make(one, PSEUDONYM_FILE, "payrol"), text) != 0);
	pseudonyms_destroy(one);
	pseudonyms_destroy(same);
	pseudonyms_destroy(other);
}

/* With 10 bits, two of 1025 names share one for certain. */
static void refuses_to_share(struct test *t)
{
	struct pseudonyms *names = table(1, 2);
	int refused = 0;

	for (int i = 0; i <= 1024; i++) {
		char name[16];
		const char *text;
		int r, length = snprintf(name, sizeof(name), "%d", i);

		r = pseudonyms_make(names, PSEUDONYM_COMM, name, (size_t)length, &text);
		CHECK(t, !r || r == -EEXIST);
		refused += r == -EEXIST;
	}
	CHECK(t, refused > 0);
	pseudonyms_destroy(names);
}

/* All of them are different, also by an oracle of its own: sorted. */
static int compare(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void gives_each_name_its_own(struct test *t)
{
	const char *level = getenv("CHECK_LEVEL");
	size_t count = level && !strcmp(level, "long") ? 1000000 : 50000, shared = 0;
	struct pseudonyms *names = table(1, PSEUDONYM_DIGITS);
	const char **texts = calloc(count, sizeof(*texts));

	REQUIRE(t, texts);
	for (size_t i = 0; i < count; i++) {
		char name[32];
		int length = snprintf(name, sizeof(name), "company::function_%zu", i);

		CHECK_INT(t, pseudonyms_make(names, PSEUDONYM_FUNCTION, name, (size_t)length, &texts[i]), 0);
	}
	qsort(texts, count, sizeof(*texts), compare);
	for (size_t i = 1; i < count; i++)
		shared += !strcmp(texts[i - 1], texts[i]);
	CHECK_INT(t, shared, 0);
	CHECK_INT(t, strlen(texts[0]), strlen("fn_") + 13);
	free(texts);
	pseudonyms_destroy(names);
}

static void is_read_back(struct test *t)
{
	struct pseudonyms *names = table(1, PSEUDONYM_DIGITS);
	char text[64];
	const char *name;
	size_t length, used = strlen(make(names, PSEUDONYM_COMM, "a\001b"));

	(void)snprintf(text, sizeof(text), "%s-1003", make(names, PSEUDONYM_COMM, "a\001b"));
	CHECK_INT(t, pseudonyms_read(names, text, strlen(text), &name, &length), used);
	CHECK_INT(t, length, 3);
	CHECK(t, !memcmp(name, "a\001b", 4));
	CHECK_INT(t, pseudonyms_read(names, text, used - 1, &name, &length), 0);
	CHECK_INT(t, pseudonyms_read(names, text + 1, used - 1, &name, &length), 0);
	text[used - 1] = text[used - 1] == '0' ? '1' : '0';
	CHECK_INT(t, pseudonyms_read(names, text, used, &name, &length), 0);
	pseudonyms_destroy(names);
}

TEST_MAIN(TEST(is_hmac_in_base_32), TEST(depends_on_key_and_class), TEST(refuses_to_share),
	  TEST(gives_each_name_its_own), TEST(is_read_back))
