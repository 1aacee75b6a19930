/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Hashes of numbers: the mixer against the first published outputs of the generator
 * splitmix64, which applies it to multiples of the golden ratio, and how evenly slots are used
 * by keys as they occur.
 */
#include "common/hash.h"


#include <stdbool.h>

#include "tests/test.h"

enum { BITS = 10 };

static void mixes_like_splitmix64(struct test *t)
{
	static const uint64_t seeded_0[] = {0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f};
	static const uint64_t seeded_1234567[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u};

	for (uint64_t i = 0; i < 3; i++) {
		CHECK_INT(t, hash_mix((i + 1) * HASH_GOLDEN), seeded_0[i]);
		CHECK_INT(t, hash_mix(1234567 + (i + 1) * HASH_GOLDEN), seeded_1234567[i]);
	}
}

TEST_MAIN(TEST(mixes_like_splitmix64))
