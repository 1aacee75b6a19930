/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/crc32c.h"

int crc32c_hardware_available(void)
{
	return 0;
}

uint32_t crc32c_hardware(uint32_t seed, const void *bytes, size_t length)
{
	return crc32c_portable(seed, bytes, length);
}
