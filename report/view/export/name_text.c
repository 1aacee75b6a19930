/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/export/name_text.h"

#include <string.h>

#include "common/printable.h"

enum { PIECE = 64, GROWTH = 4, CHARACTER = 4 };

/* How much of a name to escape at once: no character is cut, unless it is malformed. */
static size_t piece_length(const char *name, size_t left)
{
	if (left <= PIECE)
		return left;
	for (size_t back = 0; back < CHARACTER; back++)
		if (((unsigned char)name[PIECE - back] & 0xc0) != 0x80)
			return PIECE - back;
	return PIECE;
}

/* Works in pieces: a comm is short, but a symbol may have a million bytes. */
void name_text_write(FILE *out, const char *name, text_escape *escape)
{
	size_t left = name ? strlen(name) : 0;

	while (left) {
		char text[GROWTH * PIECE + 1];
		size_t length = piece_length(name, left);

		escape(out, text, printable_escape(text, sizeof(text), name, length));
		name += length;
		left -= length;
	}
}
