/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * malloc() and its relatives with the large blocks of large_blocks.h. The linker needs
 * --wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free. For one file of a program.
 */
#pragma once

#include <malloc.h>

#include "tests/fault/large_blocks.h"

enum { LARGE_FILLED = 4096 }; /* bytes that malloc() fills, as AddressSanitizer does */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *block);

void *__wrap_malloc(size_t size)
{
	uint8_t *block;
	bool zero;

	if (!large_is(size))
		return __real_malloc(size);
	block = large_take(size, &zero);
	if (block)
		memset(block, 0xbe, LARGE_FILLED);
	return block;
}

void *__wrap_calloc(size_t count, size_t size)
{
	uint8_t *block;
	size_t bytes;
	bool zero;

	if (__builtin_mul_overflow(count, size, &bytes) || !large_is(bytes))
		return __real_calloc(count, size);
	block = large_take(bytes, &zero);
	if (block && !zero) {
		size_t pages = bytes & ~(size_t)4095;

		/* Pages that were never written need not be cleared. */
		if (madvise(block, pages, MADV_DONTNEED) < 0)
			abort();
		memset(block + pages, 0, bytes - pages);
	}
	return block;
}

void __wrap_free(void *block)
{
	unsigned int bits;
	uint32_t number;

	if (large_find(block, &bits, &number))
		large_give(block, bits, number);
	else
		__real_free(block);
}

void *__wrap_realloc(void *old, size_t size)
{
	unsigned int bits;
	uint32_t number;
	size_t before;
	uint8_t *block;

	if (!old)
		return __wrap_malloc(size);
	if (!large_find(old, &bits, &number)) {
		if (!large_is(size))
			return __real_realloc(old, size);
		before = malloc_usable_size(old);
	} else {
		before = large_blocks.sizes[bits - LARGE_LEAST_BITS].used[number];
	}
	block = __wrap_malloc(size);
	if (!block)
		return NULL;
	memcpy(block, old, before < size ? before : size);
	__wrap_free(old);
	return block;
}
