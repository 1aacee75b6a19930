/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * CRC32C, the checksum of the format (FORMAT.md §2.4): polynomial 0x1EDC6F41 (Castagnoli), bits
 * reflected, start and end inverted; crc32c(0, "123456789", 9) is 0xE3069283. It can be chained:
 * crc32c(crc32c(0, a), b) is the checksum of a followed by b. That is what "seeded with s" means:
 * the bytes are summed as if they followed others whose checksum was s.
 */
#ifndef RWALKER_FORMAT_CRC32C_H
#define RWALKER_FORMAT_CRC32C_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32c(uint32_t seed, const void *bytes, size_t length);

/* In portable C, for tests and for machines without a CRC32C instruction. */
uint32_t crc32c_portable(uint32_t seed, const void *bytes, size_t length);

/* With the processor's instruction: arch_crc32c_*.c. `available` is false if it has none. */
int crc32c_hardware_available(void);
uint32_t crc32c_hardware(uint32_t seed, const void *bytes, size_t length);

#endif
