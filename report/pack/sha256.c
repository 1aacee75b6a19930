/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/pack/sha256.h"

#include <nettle/hmac.h>
#include <nettle/sha2.h>
#include <string.h>

void sha256_of(const void *bytes, size_t length, uint8_t digest[static SHA256_BYTES])
{
	struct sha256_ctx context;

	sha256_init(&context);
	sha256_update(&context, length, bytes);
	sha256_digest(&context, SHA256_BYTES, digest);
}

void sha256_keyed(const void *key, size_t key_length, uint8_t mark, const void *text, size_t length,
		  uint8_t digest[static SHA256_BYTES])
{
	struct hmac_sha256_ctx context;

	hmac_sha256_set_key(&context, key_length, key);
	hmac_sha256_update(&context, 1, &mark);
	hmac_sha256_update(&context, length, text);
	hmac_sha256_digest(&context, SHA256_BYTES, digest);
	explicit_bzero(&context, sizeof(context));
}
