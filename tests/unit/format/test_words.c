/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* 64 words compared with 64 others, in both ways: which ones are equal is known from how they were made. */
#include "format/words.h"

#include <string.h>

#include "tests/random.h"
#include "tests/test.h"

static void check(struct test *t, words_equal_fn *equal)
{
	struct random state = {.state = 7};
	uint64_t a[WORDS_BLOCK + 1], b[WORDS_BLOCK + 1];

	for (unsigned int round = 0; round < 2000; round++) {
		unsigned int from = round % 2; /* not always aligned for vectors */
		uint64_t wanted = random_next(&state) | (round % 3 ? 0 : UINT64_MAX);

		for (unsigned int i = 0; i < WORDS_BLOCK; i++) {
			a[from + i] = random_next(&state);
			b[from + i] = a[from + i] ^ (wanted >> i & 1 ? 0 : UINT64_C(1) << random_below(&state, 64));
		}
		CHECK(t, equal(a + from, b + from) == wanted);
	}
}

static void word_by_word(struct test *t)
{
	check(t, words_equal_portable);
}

static void by_vectors(struct test *t)
{
	if (!words_hardware_available())
		SKIP(t, "this processor has none of them");
	check(t, words_equal_hardware);
}

TEST_MAIN(TEST(word_by_word), TEST(by_vectors))
