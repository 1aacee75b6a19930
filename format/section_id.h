/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A section refers to others of its file by their ids, in hexadecimal. One that was added later,
 * and recorded nothing, lists those that it adds to, separated by spaces (FORMAT.md §5, META).
 */
#ifndef RWALKER_FORMAT_SECTION_ID_H
#define RWALKER_FORMAT_SECTION_ID_H

#include "format/trace.h"

#define SECTION_ADDS_TO "adds_to" /* the key of the META record */

enum { SECTION_ID_TEXT = 2 * 16 + 1 };

static inline void section_id_text(const struct rwk_file_header *header, char text[static SECTION_ID_TEXT])
{
	static const char digits[] = "0123456789abcdef";

	_Static_assert(2 * sizeof(header->section_id) + 1 == SECTION_ID_TEXT, "room for the id");
	for (size_t i = 0; i < sizeof(header->section_id); i++) {
		text[2 * i] = digits[header->section_id[i] >> 4];
		text[2 * i + 1] = digits[header->section_id[i] & 15];
	}
	text[SECTION_ID_TEXT - 1] = '\0';
}

#endif
