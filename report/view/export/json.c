/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/export/json.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/printable.h"

void json_init(struct json *json, FILE *out)
{
	*json = (struct json){.out = out, .opened = true};
}

static bool is_plain(unsigned char byte)
{
	return byte >= 0x20 && byte != '"' && byte != '\\' && byte != '<' && byte != '>' && byte != '&';
}

void json_escape(struct json *json, const char *text, size_t length)
{
	const char *end = text + length;

	while (text < end) {
		size_t plain = 0;

		while (plain < (size_t)(end - text) && is_plain((unsigned char)text[plain]))
			plain++;
		(void)fwrite_unlocked(text, 1, plain, json->out);
		text += plain;
		if (text < end) {
			(void)fprintf(json->out, *text == '"' || *text == '\\' ? "\\%c" : "\\u%04x", (unsigned char)*text);
			text++;
		}
	}
}

void json_escape_name(struct json *json, const char *name)
{
	_cleanup_free_ char *text = printable_copy(name);

	json->failed |= !text;
	if (text)
		json_escape(json, text, strlen(text));
}

static void write_text(struct json *json, const char *text, bool is_name)
{
	(void)putc_unlocked('"', json->out);
	if (is_name)
		json_escape_name(json, text ? text : "");
	else
		json_escape(json, text ? text : "", text ? strlen(text) : 0);
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

static void write_signed(FILE *out, int64_t value)
{
	if (value < 0)
		(void)putc_unlocked('-', out);
	write_number(out, value < 0 ? -(uint64_t)value : (uint64_t)value, 0);
}

/* Writes a value as the format says behind '%'. Returns where that ends. */
static const char *write_value(struct json *json, const char *at, va_list *values)
{
	const bool is_name = *at == '-';
	unsigned int places = 0;

	at += is_name;
	if (*at == '.') {
		places = (unsigned int)(at[1] == '*' ? va_arg(*values, int) : at[1] - '0');
		at += 2;
	}
	switch (*at) {
	case 's':
		write_text(json, va_arg(*values, const char *), is_name);
		return at + 1;
	case 'u':
		write_number(json->out, va_arg(*values, unsigned int), places);
		return at + 1;
	case 'z':
		write_number(json->out, va_arg(*values, size_t), places);
		return at + 2;
	case 'j':
		if (at[1] == 'd')
			write_signed(json->out, va_arg(*values, intmax_t));
		else
			write_number(json->out, va_arg(*values, uintmax_t), places);
		return at + 2;
	default: /* 'd' */
		(void)fputs_unlocked(va_arg(*values, int) ? "true" : "false", json->out);
		return at + 1;
	}
}

void json_write(struct json *json, const char *format, ...)
{
	va_list values;

	if (!json->opened && !strchr("]}", format[*format == '\n']))
		(void)putc_unlocked(',', json->out);
	format += json->opened && format[0] == '\n' && format[1] == ']'; /* an array without values has no lines */
	va_start(values, format);
	while (*format) {
		json->opened = *format == '{' || *format == '[' || *format == ':';
		if (*format == '%') {
			format = write_value(json, format + 1, &values);
			continue;
		}
		(void)putc_unlocked(*format == '\'' ? '"' : *format, json->out);
		format++;
	}
	va_end(values);
}
