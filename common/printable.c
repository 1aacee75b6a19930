/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/printable.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { ESCAPE_LENGTH = 4 }; /* no character is longer */

/* Well-formed UTF-8 by the first byte: Unicode 15, table 3-7. The second byte's range is what rules out
 * overlong forms, surrogates and what lies above U+10FFFF; later bytes are 80..BF. */
static const struct utf8_form {
	uint8_t first_low, first_high, second_low, second_high, length;
} utf8_forms[] = {
	{0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
	{0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
	{0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
};

/* Length of the well-formed multi-byte character at the start; 0 where there is none. */
static size_t utf8_length(const uint8_t *bytes, size_t left)
{
	const struct utf8_form *form = utf8_forms, *end = utf8_forms + sizeof(utf8_forms) / sizeof(*utf8_forms);

	while (form < end && (bytes[0] < form->first_low || bytes[0] > form->first_high))
		form++;
	if (form == end || left < form->length || bytes[1] < form->second_low || bytes[1] > form->second_high)
		return 0;
	for (size_t i = 2; i < form->length; i++)
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
	return form->length;
}

/* A well-formed character that changes what a terminal shows around it. */
static bool is_hostile(const uint8_t *bytes)
{
	if (bytes[0] == 0xc2) /* C1 controls, U+0080-009F */
		return bytes[1] < 0xa0;
	if (bytes[0] != 0xe2)
		return false;
	if (bytes[1] == 0x80) /* line and paragraph separator, bidi embeddings and overrides: U+2028-202E */
		return bytes[2] >= 0xa8 && bytes[2] <= 0xae;
	return bytes[1] == 0x81 && bytes[2] >= 0xa6 && bytes[2] <= 0xa9; /* bidi isolates, U+2066-2069 */
}

/*
 * Length of the character at the start when it may pass; 0 when its first byte is to be escaped. What follows
 * that byte is then looked at afresh: the rest of a hostile character is malformed, thus escaped too.
 */
static size_t plain_length(const uint8_t *bytes, size_t left)
{
	size_t length;

	if (bytes[0] < 0x80)
		return bytes[0] >= 0x20 && bytes[0] != 0x7f;
	length = utf8_length(bytes, left);
	return length && !is_hostile(bytes) ? length : 0;
}

/* The next piece of output, at most four bytes; *ret_read is how many input bytes it stands for. */
static size_t next_piece(char piece[static ESCAPE_LENGTH], const uint8_t *bytes, size_t left, size_t *ret_read)
{
	static const char digits[] = "0123456789abcdef";
	size_t length = plain_length(bytes, left);

	if (length) {
		memcpy(piece, bytes, length);
		*ret_read = length;
		return length;
	}
	piece[0] = '\\';
	piece[1] = 'x';
	piece[2] = digits[bytes[0] >> 4];
	piece[3] = digits[bytes[0] & 15];
	*ret_read = 1;
	return ESCAPE_LENGTH;
}

size_t printable_escape(char *out, size_t room, const void *bytes, size_t length)
{
	const uint8_t *next = bytes, *end = next + length;
	size_t used = 0;

	if (!room)
		return 0;
	while (next < end) {
		char piece[ESCAPE_LENGTH];
		size_t read, size = next_piece(piece, next, (size_t)(end - next), &read);

		if (size > room - 1 - used)
			break;
		memcpy(out + used, piece, size);
		used += size;
		next += read;
	}
	out[used] = '\0';
	return used;
}

void printable_write(FILE *out, const void *bytes, size_t length)
{
	const uint8_t *next = bytes, *end = next + length;

	while (next < end) {
		size_t plain = 0;

		while (plain < (size_t)(end - next) && next[plain] >= 0x20 && next[plain] < 0x7f)
			plain++;
		if (plain) {
			(void)fwrite(next, 1, plain, out);
			next += plain;
		} else {
			char piece[ESCAPE_LENGTH];
			size_t read, size = next_piece(piece, next, (size_t)(end - next), &read);

			(void)fwrite(piece, 1, size, out);
			next += read;
		}
	}
}
