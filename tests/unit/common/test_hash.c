/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Hashes of numbers: the mixer against the first published outputs of the generator
 * splitmix64, which applies it to multiples of the golden ratio, and how evenly slots are used
 * by keys as they occur.
 */
#include "common/hash.h"


#include <stdbool.h>

#include "tests/test.h"

enum { BITS = 10, SLOTS = 1 << BITS };

static void mixes_like_splitmix64(struct test *t)
{
	static const uint64_t seeded_0[] = {0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f};
	static const uint64_t seeded_1234567[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u};

	for (uint64_t i = 0; i < 3; i++) {
		CHECK_INT(t, hash_mix((i + 1) * HASH_GOLDEN), seeded_0[i]);
		CHECK_INT(t, hash_mix(1234567 + (i + 1) * HASH_GOLDEN), seeded_1234567[i]);
	}
}

/* The most keys in one slot, of SLOTS keys. */
static unsigned int most_in_a_slot(uint64_t first, uint64_t distance, bool narrow)
{
	unsigned int counts[SLOTS] = {0}, most = 0;

	for (uint64_t i = 0; i < SLOTS; i++) {
		uint64_t key = first + i * distance;
		uint32_t slot = narrow ? hash_spread_32((uint32_t)key) >> (32 - BITS) : hash_slot(key, BITS);

		if (slot >= SLOTS)
			return SLOTS;
		if (++counts[slot] > most)
			most = counts[slot];
	}
	return most;
}

/*
 * Neighbours are the best case. A slot that is chosen at random gets up to 5 or 6 of as many keys
 * as there are slots.
 */
static void neighbours_have_slots_of_their_own(struct test *t)
{
	static const uint64_t firsts[] = {0, 1, 12345, 0x7f0000000000};

	for (size_t i = 0; i < sizeof(firsts) / sizeof(firsts[0]); i++) {
		CHECK(t, most_in_a_slot(firsts[i], 1, false) <= 2);
		CHECK(t, most_in_a_slot(firsts[i], 1, true) <= 2);
		for (uint64_t distance = 2; distance <= 4096; distance *= 2)
			test_check(t, most_in_a_slot(firsts[i], distance, false) <= 6, "distance %d", (int)distance);
	}
}

TEST_MAIN(TEST(mixes_like_splitmix64), TEST(neighbours_have_slots_of_their_own))
