/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/svg/svg_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { CUT = 2, FIRST_WIDE = 0x1100 };

/* Returns the length of the next character in bytes; *ret_character: its code point. */
static size_t next_character(const char *text, uint32_t *ret_character)
{
	const unsigned char *bytes = (const unsigned char *)text;
	size_t length = *bytes < 0x80 ? 1 : *bytes < 0xe0 ? 2 : *bytes < 0xf0 ? 3 : 4;
	uint32_t character = length == 1 ? *bytes : *bytes & (0x7fU >> length);

	for (size_t i = 1; i < length; i++) {
		if ((bytes[i] & 0xc0) != 0x80) {
			*ret_character = 0;
			return 1;
		}
		character = character << 6 | (bytes[i] & 0x3f);
	}
	*ret_character = character;
	return length;
}

static size_t width_of(uint32_t character)
{
	return character >= FIRST_WIDE ? 2 : 1;
}

static size_t columns_of(const char *text)
{
	size_t columns = 0;
	uint32_t character;

	while (*text) {
		text += next_character(text, &character);
		columns += width_of(character);
	}
	return columns;
}

static void write_character(FILE *out, const char *text, size_t length, uint32_t character)
{
	static const char *const escapes[128] = {['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['"'] = "&quot;"};

	if (character < 0x20 || character == 0xfffe || character == 0xffff)
		(void)fputc('?', out);
	else if (character < 128 && escapes[character])
		(void)fputs(escapes[character], out);
	else
		(void)fwrite(text, 1, length, out);
}

void svg_text_write(FILE *out, const char *text, size_t columns)
{
	bool cut = columns_of(text) > columns;
	size_t room = cut ? columns - CUT : columns;

	while (*text) {
		uint32_t character;
		size_t length = next_character(text, &character);

		if (width_of(character) > room)
			break;
		room -= width_of(character);
		write_character(out, text, length, character);
		text += length;
	}
	if (cut)
		(void)fputs("..", out);
}
