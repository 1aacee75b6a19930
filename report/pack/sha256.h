/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The only user of nettle: SHA-256 (FIPS 180-4). */
#ifndef RWALKER_REPORT_PACK_SHA256_H
#define RWALKER_REPORT_PACK_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32 };

void sha256_of(const void *bytes, size_t length, uint8_t digest[static SHA256_BYTES]);

#endif
