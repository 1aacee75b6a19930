/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/printable.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ESCAPE_LENGTH = 4 }; /* the longest character */

/*
 * Well-formed UTF-8 by the first byte: Unicode 15, table 3-7. The second byte's range rules out
 * overlong forms, surrogates and everything above U+10FFFF; later bytes are 80..BF.
 */
static const struct utf8_form {
	uint8_t first_low, first_high, second_low, second_high, length;
} utf8_forms[] = {
	{0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
	{0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
	{0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
};

/* Length of the well-formed multi-byte character at the start; 0 if there is none. */
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

static uint32_t code_point(const uint8_t *bytes, size_t length)
{
	uint32_t code = bytes[0] & (0xffu >> (length + 1));

	for (size_t i = 1; i < length; i++)
		code = code << 6 | (bytes[i] & 0x3f);
	return code;
}

/* A character that changes what a terminal shows around it, or that nobody sees. */
static bool is_hostile(uint32_t code)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{0x80, 0x9f},	    /* C1 controls */
		{0x61c, 0x61c},	    /* a bidirectional mark */
		{0x200b, 0x200f},   /* zero-width characters, bidirectional marks */
		{0x2028, 0x202e},   /* line and paragraph separator, bidirectional embeddings and overrides */
		{0x2060, 0x2069},   /* word joiner, invisible operators, bidirectional isolates */
		{0xfeff, 0xfeff},   /* a zero-width blank, or a byte order mark */
		{0xe0000, 0xe007f}, /* tags: a text that is not shown */
	};
	size_t i = 0;

	while (i < sizeof(ranges) / sizeof(ranges[0]) && code > ranges[i].last)
		i++;
	return i < sizeof(ranges) / sizeof(ranges[0]) && code >= ranges[i].first;
}

/*
 * Length of the character at the start if it may pass; 0 if its first byte must be escaped. The
 * bytes after it are then examined separately: the rest of a hostile character is malformed, and so
 * is escaped, too.
 */
static size_t plain_length(const uint8_t *bytes, size_t left)
{
	size_t length;

	if (bytes[0] < 0x80)
		return bytes[0] >= 0x20 && bytes[0] != 0x7f;
	length = utf8_length(bytes, left);
	return length && !is_hostile(code_point(bytes, length)) ? length : 0;
}

enum printable_kind { PRINTABLE_NAME, PRINTABLE_LINE };

/* The next piece of output, at most four bytes; *ret_read is the number of input bytes it represents. */
static size_t next_piece(char piece[static ESCAPE_LENGTH], enum printable_kind kind, const uint8_t *bytes,
			 size_t left, size_t *ret_read)
{
	static const char digits[] = "0123456789abcdef";
	size_t length = plain_length(bytes, left);

	if (length) {
		memcpy(piece, bytes, length);
		*ret_read = length;
		if (kind == PRINTABLE_NAME && bytes[0] == '\\')
			piece[length++] = '\\';
		return length;
	}
	piece[0] = '\\';
	piece[1] = 'x';
	piece[2] = digits[bytes[0] >> 4];
	piece[3] = digits[bytes[0] & 15];
	*ret_read = 1;
	return ESCAPE_LENGTH;
}

static size_t escape(char *out, size_t room, enum printable_kind kind, const void *bytes, size_t length)
{
	const uint8_t *next = bytes, *end = next + length;
	size_t used = 0;

	if (!room)
		return 0;
	while (next < end) {
		char piece[ESCAPE_LENGTH];
		size_t read, size = next_piece(piece, kind, next, (size_t)(end - next), &read);

		if (size > room - 1 - used)
			break;
		memcpy(out + used, piece, size);
		used += size;
		next += read;
	}
	out[used] = '\0';
	return used;
}

size_t printable_escape(char *out, size_t room, const void *bytes, size_t length)
{
	return escape(out, room, PRINTABLE_NAME, bytes, length);
}

size_t printable_escape_line(char *out, size_t room, const void *bytes, size_t length)
{
	return escape(out, room, PRINTABLE_LINE, bytes, length);
}

static char *copy_of(enum printable_kind kind, const char *text)
{
	size_t length = strlen(text), room;
	char *copy;

	if (__builtin_mul_overflow(length, ESCAPE_LENGTH, &room) || __builtin_add_overflow(room, 1, &room))
		return NULL;
	copy = malloc(room);
	if (copy)
		(void)escape(copy, room, kind, text, length);
	return copy;
}

char *printable_copy(const char *text)
{
	return copy_of(PRINTABLE_NAME, text);
}

char *printable_copy_line(const char *text)
{
	return copy_of(PRINTABLE_LINE, text);
}

/* Written as it is. */
static bool is_plain(enum printable_kind kind, uint8_t byte)
{
	return byte >= 0x20 && byte < 0x7f && (kind == PRINTABLE_LINE || byte != '\\');
}

static void write_all(FILE *out, enum printable_kind kind, const void *bytes, size_t length)
{
	const uint8_t *next = bytes, *end = next + length;

	while (next < end) {
		size_t plain = 0;

		while (plain < (size_t)(end - next) && is_plain(kind, next[plain]))
			plain++;
		if (plain) {
			(void)fwrite(next, 1, plain, out);
			next += plain;
		} else {
			char piece[ESCAPE_LENGTH];
			size_t read, size = next_piece(piece, kind, next, (size_t)(end - next), &read);

			(void)fwrite(piece, 1, size, out);
			next += read;
		}
	}
}

void printable_write(FILE *out, const void *bytes, size_t length)
{
	write_all(out, PRINTABLE_NAME, bytes, length);
}

void printable_write_line(FILE *out, const void *bytes, size_t length)
{
	write_all(out, PRINTABLE_LINE, bytes, length);
}
