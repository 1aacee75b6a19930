/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Bytes as text for a page, in one line. Two of 91 digits encode 13 bits, which takes 8 % less than
 * base64. Bits are taken from the lowest of each byte on; the lower digit comes first. At the end,
 * up to 6 remaining bits take one digit, more take two. The digits are the printable ASCII
 * characters except blank, '&', '<' and '\'.
 */
#ifndef RWALKER_REPORT_PACK_DENSE_H
#define RWALKER_REPORT_PACK_DENSE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { DENSE_PAIR_BITS = 13, DENSE_DIGIT_BITS = 6 };

void dense_write(const uint8_t *bytes, size_t size, FILE *out);

static inline uint64_t dense_size(size_t size)
{
	uint64_t bits = (uint64_t)size * 8, rest = bits % DENSE_PAIR_BITS;

	return bits / DENSE_PAIR_BITS * 2 + (rest ? rest <= DENSE_DIGIT_BITS ? 1 : 2 : 0);
}

#endif
