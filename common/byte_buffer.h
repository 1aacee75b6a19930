/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Appends to a buffer of fixed size that the caller owns; the counterpart of byte_cursor. The first
 * write that does not fit sets `full` and writes nothing; later ones do nothing. A writer of
 * records saves `used` before it starts and restores it if the record did not fit.
 */
#ifndef RWALKER_COMMON_BYTE_BUFFER_H
#define RWALKER_COMMON_BYTE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct byte_buffer {
	uint8_t *bytes;
	size_t used, room;
	bool full;
};

static inline void byte_buffer_bytes(struct byte_buffer *buffer, const void *bytes, size_t length)
{
	if (buffer->full || length > buffer->room - buffer->used) {
		buffer->full = true;
		return;
	}
	if (length)
		memcpy(buffer->bytes + buffer->used, bytes, length);
	buffer->used += length;
}

static inline void byte_buffer_uint(struct byte_buffer *buffer, uint64_t value, size_t width)
{
	uint8_t bytes[8];

	for (size_t i = 0; i < width; i++)
		bytes[i] = (uint8_t)(value >> (8 * i));
	byte_buffer_bytes(buffer, bytes, width);
}

static inline void byte_buffer_varint(struct byte_buffer *buffer, uint64_t value)
{
	uint8_t bytes[10];
	size_t length = 0;

	while (value >= 0x80) {
		bytes[length++] = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	bytes[length++] = (uint8_t)value;
	byte_buffer_bytes(buffer, bytes, length);
}

/* A varint length and that many bytes. */
static inline void byte_buffer_string(struct byte_buffer *buffer, const void *bytes, size_t length)
{
	byte_buffer_varint(buffer, length);
	byte_buffer_bytes(buffer, bytes, length);
}

#endif
