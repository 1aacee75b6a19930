/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/words.h"

#if defined(__x86_64__)

enum { LANES = 4 };
typedef uint64_t lanes __attribute__((vector_size(LANES * sizeof(uint64_t)), aligned(sizeof(uint64_t)), may_alias));
typedef double signs __attribute__((vector_size(LANES * sizeof(double)))); /* of which the processor tells the sign bits */

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

#else

bool words_hardware_available(void)
{
	return false;
}

uint64_t words_equal_hardware(const uint64_t *a, const uint64_t *b)
{
	return words_equal_portable(a, b);
}

#endif
