/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Text in a picture. It comes from printable names, so it has no controls and is UTF-8; what is special in XML is
 * escaped here, characters that XML does not allow become '?', and what is too long is cut, between characters.
 */
#ifndef RWALKER_REPORT_VIEW_SVG_SVG_TEXT_H
#define RWALKER_REPORT_VIEW_SVG_SVG_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* At most `columns` wide, wide characters counted as two; a text that is cut ends in "..". */
void svg_text_write(FILE *out, const char *text, size_t columns);

#endif
