/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * For readers whose locale is not UTF-8: a stream that writes our own signs in ASCII (">=", not
 * "≥"). Other bytes that are not ASCII, such as the letters of a name, pass unchanged.
 */
#ifndef RWALKER_REPORT_ASCII_STREAM_H
#define RWALKER_REPORT_ASCII_STREAM_H

#include <stdbool.h>
#include <stdio.h>

/* Looks at LC_ALL, else LC_CTYPE, else LANG. Does not ask the C library, whose locales may not be installed. */
bool ascii_stream_is_needed(void);

/* The stream writes to `out` and owns it: closing it closes `out`. NULL: not enough memory; `out` is unchanged. */
FILE *ascii_stream_open(FILE *out);

#endif
