/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/export/json_text.h"

#include <stdarg.h>
#include <string.h>

#include "common/printable.h"

void json_text_init(struct json_text *json, FILE *out)
{
	*json = (struct json_text){.out = out};
}

/* --- text --- */

static bool is_plain(unsigned char byte)
{
	return byte >= 0x20 && byte != '"' && byte != '\\' && byte != '<' && byte != '>' && byte != '&';
}

static void escape_byte(FILE *out, unsigned char byte)
{
	(void)fprintf(out, byte == '"' || byte == '\\' ? "\\%c" : "\\u%04x", byte);
}

void json_text_escape(FILE *out, const char *text, size_t length)
{
	const char *end = text + length;

	while (text < end) {
		size_t plain = 0;

		while (plain < (size_t)(end - text) && is_plain((unsigned char)text[plain]))
			plain++;
		(void)fwrite_unlocked(text, 1, plain, out);
		text += plain;
		if (text < end)
			escape_byte(out, (unsigned char)*text++);
	}
}

/* How much of a name to escape at once: no character is cut, unless it is malformed. */
static size_t piece_length(const char *name, size_t left, size_t most)
{
	if (left <= most)
		return left;
	for (size_t back = 0; back < 4; back++)
		if (((unsigned char)name[most - back] & 0xc0) != 0x80)
			return most - back;
	return most;
}

/* Works in pieces: a comm is short, but a symbol may have a million bytes. */
void json_text_escape_name(FILE *out, const char *name)
{
	enum { PIECE = 64, GROWTH = 4 };
	size_t left = name ? strlen(name) : 0;

	while (left) {
		char text[GROWTH * PIECE + 1];
		size_t length = piece_length(name, left, PIECE);

		json_text_escape(out, text, printable_escape(text, sizeof(text), name, length));
		name += length;
		left -= length;
	}
}

/* --- values --- */

static uint32_t bit_of(const struct json_text *json)
{
	return UINT32_C(1) << json->depth;
}

void json_text_begin_value(struct json_text *json, const char *key)
{
	if (json->some & bit_of(json))
		(void)putc_unlocked(',', json->out);
	if (json->rows & bit_of(json))
		(void)putc_unlocked('\n', json->out);
	json->some |= bit_of(json);
	if (!key)
		return;
	(void)putc_unlocked('"', json->out);
	json_text_escape(json->out, key, strlen(key));
	(void)fputs_unlocked("\":", json->out);
}

static void begin(struct json_text *json, const char *key, char bracket, bool rows)
{
	json_text_begin_value(json, key);
	(void)putc_unlocked(bracket, json->out);
	json->depth++;
	json->some &= ~bit_of(json);
	json->rows &= ~bit_of(json);
	json->rows |= rows ? bit_of(json) : 0;
}

static void end(struct json_text *json, char bracket)
{
	if (json->rows & json->some & bit_of(json))
		(void)putc_unlocked('\n', json->out);
	json->depth--;
	(void)putc_unlocked(bracket, json->out);
}

void json_text_begin_object(struct json_text *json, const char *key) { begin(json, key, '{', false); }
void json_text_end_object(struct json_text *json) { end(json, '}'); }
void json_text_begin_array(struct json_text *json, const char *key) { begin(json, key, '[', false); }
void json_text_begin_rows(struct json_text *json, const char *key) { begin(json, key, '[', true); }
void json_text_end_array(struct json_text *json) { end(json, ']'); }

void json_text_name(struct json_text *json, const char *key, const char *name)
{
	json_text_begin_value(json, key);
	(void)putc_unlocked('"', json->out);
	json_text_escape_name(json->out, name);
	(void)putc_unlocked('"', json->out);
}

void json_text_printable(struct json_text *json, const char *key, const char *text)
{
	json_text_begin_value(json, key);
	(void)putc_unlocked('"', json->out);
	json_text_escape(json->out, text, strlen(text));
	(void)putc_unlocked('"', json->out);
}

static void write_number(FILE *out, uint64_t value, unsigned int places)
{
	enum { DIGITS = 20, POINT = 1 };
	char text[DIGITS + POINT];
	size_t first = sizeof(text);

	for (unsigned int digit = 0; value || digit <= places; digit++) {
		if (digit && digit == places)
			text[--first] = '.';
		text[--first] = (char)('0' + value % 10);
		value /= 10;
	}
	(void)fwrite_unlocked(text + first, 1, sizeof(text) - first, out);
}

void json_text_point(struct json_text *json, const char *key, uint64_t value, unsigned int places)
{
	json_text_begin_value(json, key);
	write_number(json->out, value, places);
}

void json_text_uint(struct json_text *json, const char *key, uint64_t value)
{
	json_text_point(json, key, value, 0);
}

void json_text_int(struct json_text *json, const char *key, int64_t value)
{
	json_text_begin_value(json, key);
	if (value < 0)
		(void)putc_unlocked('-', json->out);
	write_number(json->out, value < 0 ? -(uint64_t)value : (uint64_t)value, 0);
}

void json_text_bool(struct json_text *json, const char *key, bool value)
{
	json_text_begin_value(json, key);
	(void)fputs_unlocked(value ? "true" : "false", json->out);
}

void json_text_null(struct json_text *json, const char *key)
{
	json_text_begin_value(json, key);
	(void)fputs_unlocked("null", json->out);
}

void json_text_format(struct json_text *json, const char *format, ...)
{
	enum { MOST = 1024 };
	char text[MOST];
	va_list values;

	va_start(values, format);
	(void)vsnprintf(text, sizeof(text), format, values);
	va_end(values);
	for (char *at = text; (at = strchr(at, '\''));)
		*at = '"';
	json_text_begin_value(json, NULL);
	(void)fputs_unlocked(text, json->out);
}
