/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Writes varints when the room has already been checked: the encoder checks once per record whether
 * the longest possible form fits, then writes without a test per byte. Each function returns the
 * end of what it wrote. For reading varints from untrusted bytes see common/bytes.h.
 */
#ifndef RWALKER_FORMAT_VARINT_H
#define RWALKER_FORMAT_VARINT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { VARINT_MAX = 10 };

static inline uint8_t *varint_put(uint8_t *at, uint64_t value)
{
	while (value >= 0x80) {
		*at++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*at++ = (uint8_t)value;
	return at;
}

/* Small numbers of either sign become small varints: 0, -1, 1, -2 ... are 0, 1, 2, 3 ... Differences may wrap. */
static inline uint8_t *zigzag_put(uint8_t *at, uint64_t difference)
{
	return varint_put(at, difference << 1 ^ (0 - (difference >> 63)));
}

static inline uint8_t *text_put(uint8_t *at, const void *bytes, size_t length)
{
	at = varint_put(at, length);
	if (length)
		memcpy(at, bytes, length);
	return at + length;
}

static inline size_t varint_size(uint64_t value)
{
	size_t size = 1;

	while (value >>= 7)
		size++;
	return size;
}

#endif
