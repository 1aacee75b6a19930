/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Bounds-checked reading of untrusted bytes (a chunk, an ELF section). A cursor walks [next, end).
 * Every read is checked; the first that does not fit or is malformed sets `bad`, after which every
 * read returns 0 / NULL and does not advance, so that a decoder may read a whole record and test
 * `bad` once. Integers are little-endian. Varints are LEB128, at most 10 bytes, value within 64
 * bits (format/FORMAT.md §2); zig-zag for signed ones.
 */
#ifndef RWALKER_COMMON_BYTES_H
#define RWALKER_COMMON_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct byte_cursor {
	const uint8_t *next, *end;
	bool bad;
};

static inline struct byte_cursor byte_cursor_make(const void *bytes, size_t length)
{
	const uint8_t *start = bytes; /* NULL if there are none */

	return (struct byte_cursor){.next = start, .end = length ? start + length : start};
}

static inline size_t byte_cursor_left(const struct byte_cursor *cursor)
{
	return cursor->bad ? 0 : (size_t)(cursor->end - cursor->next);
}

/* The next `length` bytes, or NULL (and bad). They point into the cursor's buffer. */
static inline const uint8_t *byte_cursor_bytes(struct byte_cursor *cursor, size_t length)
{
	const uint8_t *bytes = cursor->next;

	if (cursor->bad || length > (size_t)(cursor->end - cursor->next)) {
		cursor->bad = true;
		return NULL;
	}
	cursor->next += length;
	return bytes;
}

/* A cursor over the next `length` bytes; the parent skips them. Bad if they do not fit. */
static inline struct byte_cursor byte_cursor_sub(struct byte_cursor *cursor, size_t length)
{
	const uint8_t *bytes = byte_cursor_bytes(cursor, length);

	return bytes ? byte_cursor_make(bytes, length) : (struct byte_cursor){.bad = true};
}

static inline uint64_t byte_cursor_uint(struct byte_cursor *cursor, size_t width)
{
	const uint8_t *bytes = byte_cursor_bytes(cursor, width);
	uint64_t value = 0;

	for (size_t i = 0; bytes && i < width; i++)
		value |= (uint64_t)bytes[i] << (8 * i);
	return value;
}

static inline uint8_t byte_cursor_u8(struct byte_cursor *cursor)
{
	return (uint8_t)byte_cursor_uint(cursor, 1);
}

static inline uint16_t byte_cursor_u16(struct byte_cursor *cursor)
{
	return (uint16_t)byte_cursor_uint(cursor, 2);
}

static inline uint32_t byte_cursor_u32(struct byte_cursor *cursor)
{
	return (uint32_t)byte_cursor_uint(cursor, 4);
}

static inline uint64_t byte_cursor_u64(struct byte_cursor *cursor)
{
	return byte_cursor_uint(cursor, 8);
}

static inline uint64_t byte_cursor_varint(struct byte_cursor *cursor)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 70 && !cursor->bad && cursor->next < cursor->end; shift += 7) {
		uint8_t byte = *cursor->next++;

		if (shift == 63 && byte > 1)
			break;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	cursor->bad = true;
	return 0;
}

/* Signed LEB128 (DWARF 5 §7.6). */
static inline int64_t byte_cursor_signed(struct byte_cursor *cursor)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 70; shift += 7) {
		uint8_t byte = byte_cursor_u8(cursor);

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if (byte & 0x40 && shift + 7 < 64)
			value |= UINT64_MAX << (shift + 7);
		return cursor->bad ? 0 : (int64_t)value;
	}
	cursor->bad = true;
	return 0;
}

static inline int64_t byte_cursor_zigzag(struct byte_cursor *cursor)
{
	uint64_t value = byte_cursor_varint(cursor);

	return (int64_t)((value >> 1) ^ (0 - (value & 1)));
}

/*
 * Appends to a buffer of fixed size that the caller owns; the counterpart of byte_cursor. The first
 * write that does not fit sets `full` and writes nothing; later ones do nothing. A writer of
 * records saves `used` before it starts and restores it if the record did not fit.
 */
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
