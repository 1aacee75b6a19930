/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/pack/sha256.h"

#include <nettle/sha2.h>

void sha256_of(const void *bytes, size_t length, uint8_t digest[static SHA256_BYTES])
{
	struct sha256_ctx context;

	sha256_init(&context);
	sha256_update(&context, length, bytes);
	sha256_digest(&context, SHA256_BYTES, digest);
}
