/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * 64 words of two stacks against one another: most of what a snapshot costs the recorder. By the processor's vectors where it
 * has them (arch_words.c), else word by word.
 */
#ifndef RWALKER_FORMAT_WORDS_H
#define RWALKER_FORMAT_WORDS_H

#include <stdbool.h>
#include <stdint.h>

enum { WORDS_BLOCK = 64 };

/* Bit i: whether a[i] is b[i]. */
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
