/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/page/wrap.h"

#include <string.h>

enum { LEAST_ROOM = 16 };

/* Bytes of the next character; a text that is not UTF-8 is made of bytes. */
static size_t character_bytes(const char *text)
{
	size_t bytes = 1;

	while (((unsigned char)text[bytes] & 0xc0) == 0x80)
		bytes++;
	return bytes;
}

/* Bytes of the first `room` characters, or of all. */
static size_t bytes_of(const char *text, size_t room)
{
	size_t bytes = 0;

	while (text[bytes] && room--)
		bytes += character_bytes(text + bytes);
	return bytes;
}

/* Where to break: after the last blank of the second half, or another separator there, else wherever the room ends. */
static size_t break_at(const char *text, size_t bytes)
{
	static const char *const separators[] = {" ", ",;<(/"};

	for (size_t i = 0; i < sizeof(separators) / sizeof(separators[0]); i++)
		for (size_t at = bytes; at > bytes / 2; at--)
			if (strchr(separators[i], text[at - 1]))
				return at;
	return bytes;
}

/* Blanks at the end of a line are not seen. */
static size_t without_blanks(const char *text, size_t bytes)
{
	while (bytes && text[bytes - 1] == ' ')
		bytes--;
	return bytes;
}

void wrap_write(FILE *out, const char *text, size_t column, size_t width)
{
	size_t room = width > column ? width - column : 0;

	while (room >= LEAST_ROOM) {
		size_t bytes = bytes_of(text, room);

		if (!text[bytes])
			break;
		bytes = break_at(text, bytes);
		(void)fprintf(out, "%.*s\n%*s", (int)without_blanks(text, bytes), text, (int)column, "");
		text += bytes;
	}
	(void)fputs(text, out);
}
