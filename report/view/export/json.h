/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Writes JSON (RFC 8259) to a stream as it is made; nothing is buffered here. Check the stream for errors, and `failed`.
 *
 * Text is valid UTF-8 without control characters. Names from a trace are first escaped as in all reports
 * (common/printable.h), so a name reads the same everywhere, and two names never become one. No text contains <, > or
 * &, which become \u003c ...: it cannot end a <script> or begin a comment, so JSON may be put into HTML.
 *
 * Numbers are written in full. A reader that parses them as doubles (JavaScript) gets them exactly up to 2^53.
 */
#ifndef RWALKER_REPORT_VIEW_EXPORT_JSON_H
#define RWALKER_REPORT_VIEW_EXPORT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct json {
	FILE *out;
	bool opened; /* the last that was written is '{', '[' or ':' */
	bool failed; /* there was no memory for a name */
};

void json_init(struct json *json, FILE *out);

/*
 * Writes values, members, or brackets, as JSON with ' for ": "\n{'a':%u,'b':[", ... "]}". Commas are ours between calls,
 * not within one. A newline may come first. "'" begins a string that the caller writes in parts, and ends with a ".
 *
 *	%s, %-s	printable text (functions_name() ...) or ours; bytes from a trace. NULL is ""
 *	%u, %zu, %ju, %jd	a number. %.3ju of 1234567 is 1234.567, as for ns in µs
 *	%d	true or false
 */
void json_write(struct json *json, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Parts of the inside of a string: printable text, and bytes from a trace. */
void json_escape(struct json *json, const char *text, size_t length);
void json_escape_name(struct json *json, const char *name);

#endif
