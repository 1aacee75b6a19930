/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Writes JSON (RFC 8259) to a stream as it is made; nothing is buffered here. The caller opens and closes objects and
 * arrays in order; commas are ours. In an object every value has a key, in an array `key` is NULL. Check the stream for
 * errors.
 *
 * Text is valid UTF-8 without control characters. Names from a trace are first escaped as in all reports
 * (common/printable.h), so a name reads the same everywhere, and two names never become one. No text contains <, > or
 * &, which become \u003c ...: it cannot end a <script> or begin a comment, so JSON may be put into HTML.
 *
 * Numbers are written in full. A reader that parses them as doubles (JavaScript) gets them exactly up to 2^53.
 */
#ifndef RWALKER_REPORT_VIEW_EXPORT_JSON_TEXT_H
#define RWALKER_REPORT_VIEW_EXPORT_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json_text {
	FILE *out;
	unsigned int depth;  /* open objects and arrays, at most 31 */
	uint32_t some, rows; /* a bit per depth: it has a value already; each of its values begins a line */
};

void json_text_init(struct json_text *json, FILE *out);

void json_text_begin_object(struct json_text *json, const char *key);
void json_text_end_object(struct json_text *json);
void json_text_begin_array(struct json_text *json, const char *key);
void json_text_end_array(struct json_text *json);
/* An array with a line for each of its values; ends like any other. */
void json_text_begin_rows(struct json_text *json, const char *key);

/* Bytes from a trace; NULL is "". */
void json_text_name(struct json_text *json, const char *key, const char *name);
/* Text that is printable already (functions_name() ...), or ours. */
void json_text_printable(struct json_text *json, const char *key, const char *text);

void json_text_uint(struct json_text *json, const char *key, uint64_t value);
void json_text_int(struct json_text *json, const char *key, int64_t value);
/* 1234567 with 3 places is 1234.567, as for ns in µs. */
void json_text_point(struct json_text *json, const char *key, uint64_t value, unsigned int places);
void json_text_bool(struct json_text *json, const char *key, bool value);
void json_text_null(struct json_text *json, const char *key);
/* One value or several members, written as JSON with ' for ", without names from a trace: "'a':1,'b':%d". */
void json_text_format(struct json_text *json, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Begins a value, which the caller writes to the stream: a text that was kept, or a string in parts. */
void json_text_begin_value(struct json_text *json, const char *key);
/* Parts of the inside of a string: printable text, and bytes from a trace. */
void json_text_escape(FILE *out, const char *text, size_t length);
void json_text_escape_name(FILE *out, const char *name);

#endif
