/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * For readers whose locale is not UTF-8: a stream that writes our own signs in ASCII (">=", not "≥"). What else is
 * not ASCII, such as the letters of a name, passes unchanged.
 */
#ifndef RWALKER_REPORT_VIEW_TEXT_ASCII_STREAM_H
#define RWALKER_REPORT_VIEW_TEXT_ASCII_STREAM_H

#include <stdbool.h>
#include <stdio.h>

/* What LC_ALL, else LC_CTYPE, else LANG says. Not asked of the C library, whose locales may not be installed. */
bool ascii_stream_is_needed(void);

/* Writes to `out`, and closes it when it is closed. NULL: not enough memory; `out` is as it was. */
FILE *ascii_stream_open(FILE *out);

#endif
