/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/export/json_text.h"

#include <string.h>

#include "report/view/export/decimal_text.h"
#include "report/view/export/name_text.h"

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
	static const char digits[] = "0123456789abcdef";
	const char code[] = {'u', '0', '0', digits[byte >> 4], digits[byte & 15]};

	(void)putc_unlocked('\\', out);
	if (byte == '"' || byte == '\\')
		(void)putc_unlocked(byte, out);
	else
		(void)fwrite_unlocked(code, 1, sizeof(code), out);
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

static void write_string(FILE *out, const char *text, size_t length)
{
	(void)putc_unlocked('"', out);
	json_text_escape(out, text, length);
	(void)putc_unlocked('"', out);
}

/* --- values --- */

static uint32_t bit_of(const struct json_text *json)
{
	return UINT32_C(1) << json->depth;
}

void json_text_begin_value(struct json_text *json, const char *key)
{
	if (json->some & bit_of(json))
		(void)putc_unlocked(json->depth ? ',' : '\n', json->out);
	if (json->rows & bit_of(json))
		(void)putc_unlocked('\n', json->out);
	json->some |= bit_of(json);
	if (!key)
		return;
	write_string(json->out, key, strlen(key));
	(void)putc_unlocked(':', json->out);
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

void json_text_begin_object(struct json_text *json, const char *key)
{
	begin(json, key, '{', false);
}

void json_text_end_object(struct json_text *json)
{
	end(json, '}');
}

void json_text_begin_array(struct json_text *json, const char *key)
{
	begin(json, key, '[', false);
}

void json_text_begin_rows(struct json_text *json, const char *key)
{
	begin(json, key, '[', true);
}

void json_text_end_array(struct json_text *json)
{
	end(json, ']');
}

void json_text_name(struct json_text *json, const char *key, const char *name)
{
	json_text_begin_value(json, key);
	(void)putc_unlocked('"', json->out);
	name_text_write(json->out, name, json_text_escape);
	(void)putc_unlocked('"', json->out);
}

void json_text_printable_bytes(struct json_text *json, const char *key, const char *text, size_t length)
{
	json_text_begin_value(json, key);
	write_string(json->out, text, length);
}

void json_text_printable(struct json_text *json, const char *key, const char *text)
{
	json_text_printable_bytes(json, key, text, strlen(text));
}

void json_text_uint(struct json_text *json, const char *key, uint64_t value)
{
	json_text_begin_value(json, key);
	decimal_text_write(json->out, value);
}

void json_text_int(struct json_text *json, const char *key, int64_t value)
{
	json_text_begin_value(json, key);
	if (value < 0)
		(void)putc_unlocked('-', json->out);
	decimal_text_write(json->out, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void json_text_point(struct json_text *json, const char *key, uint64_t value, unsigned int places)
{
	json_text_begin_value(json, key);
	decimal_text_write_point(json->out, value, places);
}

static void write_word(struct json_text *json, const char *key, const char *word)
{
	json_text_begin_value(json, key);
	(void)fputs_unlocked(word, json->out);
}

void json_text_bool(struct json_text *json, const char *key, bool value)
{
	write_word(json, key, value ? "true" : "false");
}

void json_text_null(struct json_text *json, const char *key)
{
	write_word(json, key, "null");
}
