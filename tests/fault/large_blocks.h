/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Large blocks of memory for a program that allocates and frees the same ones a million times.
 * AddressSanitizer maps each of them, writes its whole shadow, and unmaps it, which took most of
 * the time. Here they come from a range of their own and are kept. AddressSanitizer still finds the
 * same mistakes: everything except the bytes of a block in use is poisoned, including guards around
 * it, and a freed block is not reused until others of its size were freed after it. A leak shows in
 * large_blocks_used(). For one file of a program with one thread.
 */
#pragma once

#include <sanitizer/asan_interface.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
	LARGE_LEAST_BITS = 17, /* AddressSanitizer allocates smaller ones */
	LARGE_MOST_BITS = 24,  /* and larger ones */
	LARGE_SIZES = LARGE_MOST_BITS - LARGE_LEAST_BITS + 1,
	LARGE_AREA_BITS = 31, /* of one size */
	LARGE_BLOCKS = 2048,  /* of one size */
	LARGE_GUARD = 1 << 14,
	LARGE_WAIT = 4,	     /* blocks that are freed before one is used again */
};

struct large_size { /* blocks of up to 1 << bits bytes; those that were never used come last */
	uint32_t made, free_count, first_free;
	uint16_t free[LARGE_BLOCKS]; /* a ring, the oldest first */
	uint32_t used[LARGE_BLOCKS]; /* bytes; 0: it is free */
};

static struct {
	uint8_t *start;
	uint64_t used;
	struct large_size sizes[LARGE_SIZES];
} large_blocks;

/* Number of blocks in use. */
static inline uint64_t large_blocks_used(void)
{
	return large_blocks.used;
}

static inline unsigned int large_bits(size_t size)
{
	unsigned int bits = LARGE_LEAST_BITS;

	while (size > (size_t)1 << bits)
		bits++;
	return bits;
}

static inline uint8_t *large_at(unsigned int bits, uint32_t number)
{
	return large_blocks.start + ((size_t)(bits - LARGE_LEAST_BITS) << LARGE_AREA_BITS) + LARGE_GUARD +
	       number * (((size_t)1 << bits) + LARGE_GUARD);
}

/* False if it is not one of these blocks. */
static inline bool large_find(const void *block, unsigned int *ret_bits, uint32_t *ret_number)
{
	size_t offset = (size_t)((uintptr_t)block - (uintptr_t)large_blocks.start);

	if (!large_blocks.start || offset >> LARGE_AREA_BITS >= LARGE_SIZES)
		return false;
	*ret_bits = LARGE_LEAST_BITS + (unsigned int)(offset >> LARGE_AREA_BITS);
	offset &= ((size_t)1 << LARGE_AREA_BITS) - 1;
	*ret_number = (uint32_t)(offset / (((size_t)1 << *ret_bits) + LARGE_GUARD));
	if (large_at(*ret_bits, *ret_number) != block || *ret_number >= LARGE_BLOCKS ||
	    !large_blocks.sizes[*ret_bits - LARGE_LEAST_BITS].used[*ret_number])
		abort(); /* it is already free, or not the begin of a block */
	return true;
}

/* A block that was never used, with its shadow. NULL if there are too many. */
static inline uint8_t *large_make(unsigned int bits, uint32_t *ret_number)
{
	struct large_size *size = &large_blocks.sizes[bits - LARGE_LEAST_BITS];
	size_t whole = ((size_t)1 << bits) + LARGE_GUARD;
	uint8_t *block = large_at(bits, size->made);

	if (size->made == LARGE_BLOCKS || (size->made + (size_t)1) * whole + LARGE_GUARD > (size_t)1 << LARGE_AREA_BITS)
		return NULL;
	ASAN_POISON_MEMORY_REGION(block - LARGE_GUARD, whole + LARGE_GUARD);
	*ret_number = size->made++;
	return block;
}

static inline uint8_t *large_take(size_t bytes, bool *ret_zero)
{
	unsigned int bits = large_bits(bytes);
	struct large_size *size = &large_blocks.sizes[bits - LARGE_LEAST_BITS];
	uint32_t number;
	uint8_t *block;

	*ret_zero = size->free_count <= LARGE_WAIT;
	if (size->free_count > LARGE_WAIT) {
		number = size->free[size->first_free++ % LARGE_BLOCKS];
		size->free_count--;
		block = large_at(bits, number);
	} else {
		block = large_make(bits, &number);
	}
	if (!block)
		return NULL;
	size->used[number] = (uint32_t)bytes;
	large_blocks.used++;
	ASAN_UNPOISON_MEMORY_REGION(block, bytes);
	return block;
}

static inline bool large_is(size_t size)
{
	if (size <= (size_t)1 << (LARGE_LEAST_BITS - 1) || size > (size_t)1 << LARGE_MOST_BITS)
		return false;
	if (!large_blocks.start)
		large_blocks.start = mmap(NULL, (size_t)LARGE_SIZES << LARGE_AREA_BITS, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (large_blocks.start == MAP_FAILED)
		abort();
	return true;
}

static inline void large_give(void *block, unsigned int bits, uint32_t number)
{
	struct large_size *size = &large_blocks.sizes[bits - LARGE_LEAST_BITS];

	ASAN_POISON_MEMORY_REGION(block, size->used[number]);
	size->used[number] = 0;
	size->free[(size->first_free + size->free_count++) % LARGE_BLOCKS] = (uint16_t)number;
	large_blocks.used--;
}
