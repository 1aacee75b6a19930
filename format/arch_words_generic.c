/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/words.h"

bool words_hardware_available(void)
{
	return false;
}

uint64_t words_equal_hardware(const uint64_t *a, const uint64_t *b)
{
	return words_equal_portable(a, b);
}
