/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A 128-bit hash of a call chain, to find out whether a chain is known without looking up each
 * frame in a table. It is the sum of all frames, each multiplied by a factor for its position;
 * factors are random per table (multilinear hashing: Carter and Wegman, "Universal classes of hash
 * functions", 1979): two different chains have the same key with a probability of at most 2^-63,
 * and an attacker cannot choose addresses that collide.
 */
#ifndef RWALKER_COMMON_CHAIN_KEY_H
#define RWALKER_COMMON_CHAIN_KEY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/random_bytes.h"

enum { CHAIN_KEY_FRAMES = 128 }; /* at most */

struct chain_key {
	uint64_t low, high;
};

struct chain_factors {
	uint64_t of[CHAIN_KEY_FRAMES], of_length, of_owner;
};

/* 0, or -errno if the kernel provides no random numbers. */
static inline int chain_factors_draw(struct chain_factors *factors)
{
	return random_bytes(factors, sizeof(*factors));
}

/*
 * The key of `count` frames, at most CHAIN_KEY_FRAMES. The same frames with another owner or kind
 * (below 2^32) are a different chain.
 */
static inline struct chain_key chain_key(const struct chain_factors *factors, const uint64_t *frames, uint32_t count,
					 uint32_t kind, uint64_t owner)
{
	unsigned __int128 sum = (unsigned __int128)factors->of_length * ((uint64_t)kind << 32 | count);

	sum += (unsigned __int128)factors->of_owner * owner;
	for (uint32_t i = 0; i < count; i++)
		sum += (unsigned __int128)factors->of[i] * frames[i];
	return (struct chain_key){(uint64_t)sum, (uint64_t)(sum >> 64)};
}

static inline bool chain_key_equal(const struct chain_key *a, const struct chain_key *b)
{
	return a->low == b->low && a->high == b->high;
}

/* A slot in a table of 1 << bits slots. */
static inline uint32_t chain_key_slot(const struct chain_key *key, unsigned int bits)
{
	return (uint32_t)(key->low >> (64 - bits));
}

#endif
