/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/scrub/unscrub.h"

#include <stdbool.h>
#include <stdlib.h>

#include "tests/test.h"

struct texts { /* pseudonyms of this test's names */
	struct pseudonyms *names;
	const char *comm, *function, *file, *bpf, *id;
};

static const char *make(struct texts *texts, enum pseudonym_class class, const char *name)
{
	const char *text;

	if (pseudonyms_make(texts->names, class, name, strlen(name), &text) < 0)
		abort();
	return text;
}

static void begin(struct texts *texts)
{
	static const uint8_t key[PSEUDONYM_KEY] = {7};

	if (pseudonyms_create(key, PSEUDONYM_DIGITS, &texts->names) < 0)
		abort();
	texts->comm = make(texts, PSEUDONYM_COMM, "pay;ro\\ll\033");
	texts->function = make(texts, PSEUDONYM_FUNCTION, "Salary::of<int>");
	texts->file = make(texts, PSEUDONYM_FILE, "libpay.so");
	texts->bpf = make(texts, PSEUDONYM_BPF, "bpf_prog_0123456789abcdef_spy");
	texts->id = make(texts, PSEUDONYM_BUILD_ID, "c0ffee");
}

static bool translates(const struct texts *texts, const char *given, const char *wanted)
{
	char *text = NULL;
	size_t length;
	FILE *in = fmemopen((char *)(uintptr_t)given, strlen(given), "r"), *out = open_memstream(&text, &length);
	bool good;

	if (!in || !out || unscrub_stream(texts->names, in, out) < 0 || fclose(in) || fclose(out))
		abort();
	good = !strcmp(text, wanted);
	if (!good)
		printf("# got: %s# not: %s", text, wanted);
	free(text);
	return good;
}

static void translates_a_report(struct test *t)
{
	struct texts texts;
	char given[512];

	begin(&texts);
	(void)snprintf(given, sizeof(given), "  40.0 %% %s [%s]\n%s-1003, %s\n%s\n", texts.function, texts.file,
		       texts.comm, texts.bpf, texts.id);
	CHECK(t, translates(&texts, given, "  40.0 % Salary::of<int> [libpay.so]\npay;ro\\\\ll\\x1b-1003, "
					   "bpf_prog_0123456789abcdef_spy\nc0ffee\n"));
	pseudonyms_destroy(texts.names);
}

/* As that view prints it: no semicolon within a name. */
static void translates_folded_stacks(struct test *t)
{
	struct texts texts;
	char given[512];

	begin(&texts);
	(void)snprintf(given, sizeof(given), "%s;main;%s;[%s] 7\n", texts.comm, texts.function, texts.file);
	CHECK(t, translates(&texts, given, "pay\\x3bro\\\\ll\\x1b;main;Salary::of<int>;[libpay.so] 7\n"));
	pseudonyms_destroy(texts.names);
}

static void leaves_the_rest(struct test *t)
{
	struct texts texts;
	static const char others[] = "fn_ c_0000000000000 file_ host_ \\x1b\xff\n"
				     "0123456789012345678901234567890123456789\n"
				     "the last line has no end: fn_00000000000";

	begin(&texts);
	CHECK(t, translates(&texts, others, others));
	CHECK(t, translates(&texts, "\n", "\n"));
	pseudonyms_destroy(texts.names);
}

TEST_MAIN(TEST(translates_a_report), TEST(translates_folded_stacks), TEST(leaves_the_rest))
