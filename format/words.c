/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/words.h"

uint64_t words_equal_portable(const uint64_t *a, const uint64_t *b)
{
	uint64_t bits = 0;

	for (unsigned int i = 0; i < WORDS_BLOCK; i++)
		bits |= (uint64_t)(a[i] == b[i]) << i;
	return bits;
}
