/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Folds what is too long for the terminal, so that columns stay columns. */
#ifndef RWALKER_REPORT_VIEW_PAGE_WRAP_H
#define RWALKER_REPORT_VIEW_PAGE_WRAP_H

#include <stdio.h>

/*
 * Prints a text that begins at `column` of a terminal with `width` columns; what follows on other
 * lines begins there, too. As it is if `width` is 0, or leaves too little room to be read.
 */
void wrap_write(FILE *out, const char *text, size_t column, size_t width);

#endif
