/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Text in a picture. It comes from printable names, so it is UTF-8 without control characters.
 * Characters that are special in XML are escaped here, those that XML does not allow become '?',
 * and long text is cut between characters.
 */
#ifndef RWALKER_REPORT_VIEW_SVG_SVG_TEXT_H
#define RWALKER_REPORT_VIEW_SVG_SVG_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Writes at most `columns` columns; a wide character counts as two. A text that is cut ends in "..". */
void svg_text_write(FILE *out, const char *text, size_t columns);

#endif
