/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Hashes of numbers, for caches and tables in memory in which nobody gains anything by collisions.
 * They have no seed: tables that a hostile trace or host could fill are index_table.h, hash_map.h
 * and chain_key.h. Files must not depend on them.
 *
 * Spreading is Knuth's multiplicative hashing with 2^64 or 2^32 divided by the golden ratio (The
 * Art of Computer Programming 3, 6.4): keys that follow each other are put far apart. Only the
 * upper bits of the product are good.
 */
#ifndef RWALKER_COMMON_HASH_H
#define RWALKER_COMMON_HASH_H

#include <stdint.h>

#define HASH_GOLDEN UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t hash_spread(uint64_t key)
{
	return key * HASH_GOLDEN;
}

static inline uint32_t hash_spread_32(uint32_t key)
{
	return key * UINT32_C(0x9e3779b1);
}

/* A slot in a table of 1 << bits slots; 1 to 32 bits. */
static inline uint32_t hash_slot(uint64_t key, unsigned int bits)
{
	return (uint32_t)(hash_spread(key) >> (64 - bits));
}

/* A bijection that mixes all bits: David Stafford's variant 13 of the MurmurHash3 finalizer. */
static inline uint64_t hash_mix(uint64_t value)
{
	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
	value = (value ^ value >> 27) * 0x94d049bb133111eb;
	return value ^ value >> 31;
}

#endif
