/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/ascii_stream.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { SIGN_BYTES = 3 };

struct ascii_stream {
	FILE *out;
	char begun[SIGN_BYTES + 1]; /* the first bytes of a sign that is not complete yet */
	size_t length;
};

static const struct {
	const char *sign, *ascii;
} signs[] = {
	{"≥", ">="}, {"≤", "<="}, {"±", "+-"}, {"µ", "u"},  {"μ", "u"},	 {"→", "->"}, {"←", "<-"}, {"…", "..."},
	{"×", "x"},  {"–", "-"},  {"—", "-"},  {"·", "."},  {"│", "|"},	 {"─", "-"},  {"├", "|"},  {"└", "`"},
	{"▲", "^"},  {"▼", "v"},  {"’", "'"},  {"“", "'"}, {"”", "'"}, {"≈", "~"},
};

bool ascii_stream_is_needed(void)
{
	static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *value = getenv(variables[i]);

		if (value && *value)
			return !strcasestr(value, "utf-8") && !strcasestr(value, "utf8");
	}
	return true;
}

/* The sign that begins with these bytes or, if `whole`, consists of them. -1 if there is none. */
static int find_sign(const char *bytes, size_t length, bool whole)
{
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (!strncmp(signs[i].sign, bytes, length) && (!whole || !signs[i].sign[length]))
			return (int)i;
	return -1;
}

static void put(struct ascii_stream *stream, const char *bytes, size_t length)
{
	(void)fwrite(bytes, 1, length, stream->out);
}

/* Takes one byte that is not ASCII or follows such a byte. */
static void take(struct ascii_stream *stream, char byte)
{
	int sign;

	stream->begun[stream->length++] = byte;
	stream->begun[stream->length] = '\0';
	sign = find_sign(stream->begun, stream->length, true);
	if (sign < 0 && find_sign(stream->begun, stream->length, false) >= 0)
		return;
	if (sign >= 0)
		put(stream, signs[sign].ascii, strlen(signs[sign].ascii));
	else
		put(stream, stream->begun, stream->length);
	stream->length = 0;
}

static ssize_t write_some(void *cookie, const char *bytes, size_t length)
{
	struct ascii_stream *stream = cookie;
	size_t plain = 0;

	for (size_t i = 0; i < length; i++) {
		if (!stream->length && !(bytes[i] & 0x80))
			continue;
		if (!stream->length)
			put(stream, bytes + plain, i - plain);
		take(stream, bytes[i]);
		plain = i + 1;
	}
	put(stream, bytes + plain, length - plain);
	return ferror(stream->out) ? 0 : (ssize_t)length;
}

static int close_all(void *cookie)
{
	struct ascii_stream *stream = cookie;
	bool failed;
	int r;

	put(stream, stream->begun, stream->length);
	failed = ferror(stream->out) != 0;
	r = fclose(stream->out);
	free(stream);
	return r || failed ? EOF : 0;
}

FILE *ascii_stream_open(FILE *out)
{
	const cookie_io_functions_t functions = {.write = write_some, .close = close_all};
	struct ascii_stream *stream = calloc(1, sizeof(*stream));
	FILE *opened;

	if (!stream)
		return NULL;
	stream->out = out;
	opened = fopencookie(stream, "w", functions);
	if (!opened)
		free(stream);
	return opened;
}
