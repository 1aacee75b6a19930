/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/words.h"

enum { LANES = 4 };
typedef uint64_t lanes __attribute__((vector_size(LANES * sizeof(uint64_t)), aligned(sizeof(uint64_t)), may_alias));
/* For the instruction that extracts sign bits. */
typedef double signs __attribute__((vector_size(LANES * sizeof(double))));

bool words_hardware_available(void)
{
	return __builtin_cpu_supports("avx2");
}

__attribute__((target("avx2"))) uint64_t words_equal_hardware(const uint64_t *a, const uint64_t *b)
{
	uint64_t bits = 0;

	for (unsigned int i = 0; i < WORDS_BLOCK; i += LANES) {
		signs equal = (signs)(*(const lanes *)(a + i) == *(const lanes *)(b + i));

		bits |= (uint64_t)(unsigned int)__builtin_ia32_movmskpd256(equal) << i;
	}
	return bits;
}
