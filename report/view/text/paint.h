/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Colours: shares of 5 % and more are red, of 0.5 % and more green, as in perf. Without colour only
 * the text is printed.
 */
#ifndef RWALKER_REPORT_VIEW_TEXT_PAINT_H
#define RWALKER_REPORT_VIEW_TEXT_PAINT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* "22.98%" */
void paint_percent(FILE *out, bool color, uint64_t part, uint64_t whole);
/* Bold. */
void paint_heading(FILE *out, bool color, const char *text);

#endif
