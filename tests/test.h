/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The unit harness. A unit test is one program, tests/unit/ROOM/test_IDEA.c:
 *
 *	#include "tests/test.h"
 *
 *	static void reads_one_byte(struct test *t)
 *	{
 *		CHECK(t, cursor_left(&c) == 1);		goes on after a failure
 *		REQUIRE(t, !cursor_u8(&c, &byte));	returns from the case
 *		CHECK_INT(t, byte, 0x7f);
 *	}
 *
 *	TEST_MAIN(TEST(reads_one_byte), TEST(refuses_the_second))
 *
 * Each case prints one line of tests/run.sh's contract: "ok NAME", "not ok NAME - why" (the first
 * failure; later ones are comments) or "skip NAME - why". Exit: 0, 1 if a case failed, 77 if all
 * were skipped. A case that checks nothing fails.
 */
#pragma once

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct test {
	const char *skip;	/* why, once the case has called SKIP */
	unsigned long checks, failures;
	char why[512];		/* the first failure */
};

#if defined(__has_feature) && !defined(__SANITIZE_ADDRESS__)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

/*
 * How often a test does what it does with made-up input, out of `all`: with sanitizers, where each
 * round takes several times as long, a quarter, but all of them at the long level.
 */
static inline unsigned int test_rounds(unsigned int all)
{
#ifdef __SANITIZE_ADDRESS__
	const char *level = getenv("CHECK_LEVEL");

	if (!level || strcmp(level, "long") != 0)
		return all / 4;
#endif
	return all;
}

struct test_case {
	const char *name;
	void (*run)(struct test *t);
};

__attribute__((format(printf, 3, 4))) static inline int
test_check(struct test *t, int good, const char *format, ...)
{
	char text[sizeof(t->why)];
	va_list args;

	t->checks++;
	if (good)
		return 1;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (t->failures++)
		printf("# also: %s\n", text);
	else
		memcpy(t->why, text, sizeof(text));
	return 0;
}

static inline int test_int(struct test *t, long long got, long long want, const char *where)
{
	return test_check(t, got == want, "%s is %lld (0x%llx), not %lld (0x%llx)", where, got,
			  (unsigned long long)got, want, (unsigned long long)want);
}

static inline int test_str(struct test *t, const char *got, const char *want, const char *where)
{
	int same = got && want ? !strcmp(got, want) : got == want;

	return test_check(t, same, "%s is \"%s\", not \"%s\"", where, got ? got : "(null)",
			  want ? want : "(null)");
}

static inline int test_main(const struct test_case *cases, size_t count)
{
	size_t failed = 0, skipped = 0;

	for (size_t i = 0; i < count; i++) {
		struct test t = { 0 };

		cases[i].run(&t);
		if (!t.failures && !t.skip)
			test_check(&t, t.checks > 0, "the case checks nothing");
		if (t.failures)
			printf("not ok %s - %s\n", cases[i].name, t.why);
		else if (t.skip)
			printf("skip %s - %s\n", cases[i].name, t.skip);
		else
			printf("ok %s\n", cases[i].name);
		fflush(stdout);	/* so that a crash in the next case loses nothing */
		failed += t.failures > 0;
		skipped += !t.failures && t.skip;
	}
	return failed ? 1 : skipped == count ? 77 : 0;
}

#define TEST_TEXT_(x) #x
#define TEST_TEXT(x) TEST_TEXT_(x)
#define TEST_WHERE(text) __FILE__ ":" TEST_TEXT(__LINE__) ": " text

#define CHECK(t, condition) test_check(t, !!(condition), "%s", TEST_WHERE(#condition))
#define CHECK_INT(t, got, want) test_int(t, (long long)(got), (long long)(want), TEST_WHERE(#got))
#define CHECK_STR(t, got, want) test_str(t, got, want, TEST_WHERE(#got))
#define CHECK_MEM(t, got, want, size) \
	test_check(t, !memcmp(got, want, size), "%s", TEST_WHERE(#got " differs from " #want))

#define REQUIRE(t, condition)                  \
	do {                                   \
		if (!CHECK(t, condition))      \
			return;                \
	} while (0)

#define SKIP(t, reason)                        \
	do {                                   \
		(t)->skip = (reason);          \
		return;                        \
	} while (0)

#define TEST(function) { #function, function }
#define TEST_MAIN(...)                                                                  \
	int main(void)                                                                  \
	{                                                                               \
		static const struct test_case cases[] = { __VA_ARGS__ };                \
                                                                                        \
		return test_main(cases, sizeof(cases) / sizeof(cases[0]));              \
	}
