/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Numbers for tests: the same in every run, so that failures can be reproduced. The generator is
 * splitmix64 (Steele, Lea, Flood 2014).
 */
#pragma once

#include <stdint.h>

struct random {
	uint64_t state;
};

static inline struct random random_make(uint64_t seed)
{
	return (struct random){.state = seed};
}

static inline uint64_t random_next(struct random *random)
{
	uint64_t value = random->state += 0x9e3779b97f4a7c15;

	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
	value = (value ^ value >> 27) * 0x94d049bb133111eb;
	return value ^ value >> 31;
}

static inline uint64_t random_below(struct random *random, uint64_t bound)
{
	return random_next(random) % bound;
}
