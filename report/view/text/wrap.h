/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Folds what is too long for the terminal, so that columns stay columns. */
#ifndef RWALKER_REPORT_VIEW_TEXT_WRAP_H
#define RWALKER_REPORT_VIEW_TEXT_WRAP_H

#include <stdio.h>

/*
 * Prints a text that begins at `column` of a terminal with `width` columns; what follows on other
 * lines begins there, too. As it is if `width` is 0, or leaves too little room to be read. Escapes that
 * change the colour take no room.
 */
void wrap_write(FILE *out, const char *text, size_t column, size_t width);

/* A line that is written in pieces, and folded once it is whole. */
struct wrap {
	FILE *out, *text;
	char *bytes;
	size_t size, column, width;
};

/*
 * Begins a line; what follows on other lines begins at `column`. Returns the stream for the pieces, to be
 * ended by wrap_end(); NULL if there is not enough memory.
 */
FILE *wrap_begin(struct wrap *wrap, FILE *out, size_t column, size_t width);

/* Prints the line and its end. Returns 0 or -ENOMEM. */
int wrap_end(struct wrap *wrap);

#endif
