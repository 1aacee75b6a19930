/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Compares 64 words of two stacks: most of the recorder's cost of a snapshot. Uses vector
 * instructions if the processor has them (arch_words_x86_64.c), else goes word by word.
 */
#ifndef RWALKER_FORMAT_WORDS_H
#define RWALKER_FORMAT_WORDS_H

#include <stdbool.h>
#include <stdint.h>

enum { WORDS_BLOCK = 64 };

/* Bit i: a[i] == b[i]. */
typedef uint64_t words_equal_fn(const uint64_t *a, const uint64_t *b);

words_equal_fn words_equal_portable;
words_equal_fn words_equal_hardware; /* only where words_hardware_available() */

bool words_hardware_available(void);

/* The faster one. */
static inline words_equal_fn *words_equal(void)
{
	return words_hardware_available() ? words_equal_hardware : words_equal_portable;
}

#endif
