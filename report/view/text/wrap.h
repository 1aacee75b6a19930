/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Folds lines that are too long for the terminal, so that columns stay aligned. */
#ifndef RWALKER_REPORT_VIEW_TEXT_WRAP_H
#define RWALKER_REPORT_VIEW_TEXT_WRAP_H

#include <stdio.h>

/*
 * Prints a text that begins at `column` of a terminal with `width` columns; continuation lines
 * begin there, too. The text is not folded if `width` is 0 or leaves too little room to be
 * readable. Escapes that change the colour take no room.
 */
void wrap_write(FILE *out, const char *text, size_t column, size_t width);

/* A line that is written in pieces, and folded when it is complete. */
struct wrap {
	FILE *out, *text;
	char *bytes;
	size_t size, column, width;
};

/*
 * Begins a line; continuation lines begin at `column`. Returns the stream for the pieces; end the
 * line with wrap_end(). NULL if there is not enough memory.
 */
FILE *wrap_begin(struct wrap *wrap, FILE *out, size_t column, size_t width);

/* Prints the line and a newline. Returns 0 or -ENOMEM. */
int wrap_end(struct wrap *wrap);

#endif
