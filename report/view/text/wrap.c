/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/wrap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROOM = 16 };

/* Bytes of the next character; in a text that is not UTF-8, each byte is one. */
static size_t character_bytes(const char *text)
{
	size_t bytes = 1;

	while (((unsigned char)text[bytes] & 0xc0) == 0x80)
		bytes++;
	return bytes;
}

/* Bytes of an escape that changes the colour ("ESC [ 31 m"), if the text begins with one. */
static size_t colour_bytes(const char *text)
{
	size_t bytes = strlen("\033[");

	if (strncmp(text, "\033[", bytes) != 0)
		return 0;
	bytes += strspn(text + bytes, "0123456789;");
	return text[bytes] == 'm' ? bytes + 1 : 0;
}

/* Bytes of the first `room` characters, or of all. */
static size_t bytes_of(const char *text, size_t room)
{
	size_t bytes = 0, colour;

	while (text[bytes]) {
		colour = colour_bytes(text + bytes);
		if (!colour && !room--)
			break;
		bytes += colour ? colour : character_bytes(text + bytes);
	}
	return bytes;
}

/* Columns are separated by two blanks; if possible, lines are broken there, so that columns stay whole. */
static size_t break_between_columns(const char *text, size_t least, size_t bytes)
{
	for (size_t at = bytes; at > least; at--)
		if (text[at - 1] == ' ' && text[at - 2] == ' ')
			return at;
	return 0;
}

/* Where to break: after the last blank of the second half, or another separator there, else where the room ends. */
static size_t break_at(const char *text, size_t room)
{
	static const char *const separators[] = {" ", ",;<(/"};
	size_t least = bytes_of(text, room / 2), bytes = bytes_of(text, room);
	size_t between = break_between_columns(text, least, bytes);

	if (between)
		return between;
	if (text[bytes] == ' ')
		return bytes + 1;
	for (size_t i = 0; i < sizeof(separators) / sizeof(separators[0]); i++)
		for (size_t at = bytes; at > least; at--)
			if (strchr(separators[i], text[at - 1]))
				return at;
	return bytes;
}

/* The length without blanks at the end. */
static size_t without_blanks(const char *text, size_t bytes)
{
	while (bytes && text[bytes - 1] == ' ')
		bytes--;
	return bytes;
}

/* The first line begins at column `first`, all others at `column`. */
static void fold(FILE *out, const char *text, size_t first, size_t column, size_t width)
{
	size_t at = first;

	while (width >= column + LEAST_ROOM && width >= at + LEAST_ROOM) {
		size_t bytes = bytes_of(text, width - at);

		if (!text[bytes])
			break;
		bytes = break_at(text, width - at);
		(void)fprintf(out, "%.*s\n%*s", (int)without_blanks(text, bytes), text, (int)column, "");
		text += bytes;
		at = column;
	}
	(void)fputs(text, out);
}

void wrap_write(FILE *out, const char *text, size_t column, size_t width)
{
	fold(out, text, column, column, width);
}

FILE *wrap_begin(struct wrap *wrap, FILE *out, size_t column, size_t width)
{
	*wrap = (struct wrap){.out = out, .text = out, .column = column, .width = width};
	if (width)
		wrap->text = open_memstream(&wrap->bytes, &wrap->size);
	return wrap->text;
}

int wrap_end(struct wrap *wrap)
{
	int r = 0;

	if (wrap->text != wrap->out) {
		r = fclose(wrap->text) ? -ENOMEM : 0;
		if (!r)
			fold(wrap->out, wrap->bytes, 0, wrap->column, wrap->width);
		free(wrap->bytes);
	}
	(void)fputc('\n', wrap->out);
	return r;
}
