/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Names from a trace in the syntax of an export: first made printable, as everywhere
 * (common/printable.h), then escaped as the syntax requires.
 */
#ifndef RWALKER_REPORT_VIEW_EXPORT_NAME_TEXT_H
#define RWALKER_REPORT_VIEW_EXPORT_NAME_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Writes printable text so that it is part of a string of the syntax. */
typedef void text_escape(FILE *out, const char *text, size_t length);

/* A NULL name is "". */
void name_text_write(FILE *out, const char *name, text_escape *escape);

#endif
