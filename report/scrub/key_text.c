/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/scrub/key_text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

static const char first_line[] = "rwalker scrub key 1", key_word[] = "key ";

static const char *const words[PSEUDONYM_CLASSES] = {
	[PSEUDONYM_HOST] = "host",	   [PSEUDONYM_COMM] = "comm",	  [PSEUDONYM_FOLDER] = "folder",
	[PSEUDONYM_FILE] = "file",	   [PSEUDONYM_FUNCTION] = "function", [PSEUDONYM_SOURCE] = "source",
	[PSEUDONYM_PROBE] = "probe",	   [PSEUDONYM_BPF] = "bpf",	  [PSEUDONYM_BUILD_ID] = "build-id",
	[PSEUDONYM_CONTAINER] = "container",
};

/* --- parsing --- */

struct line {
	const char *text;
	size_t length;
};

/* The next line, which must end in a newline. */
static bool take_line(const char **at, const char *end, struct line *ret_line)
{
	const char *newline = memchr(*at, '\n', (size_t)(end - *at));

	if (!newline)
		return false;
	*ret_line = (struct line){*at, (size_t)(newline - *at)};
	*at = newline + 1;
	return true;
}

/* The bytes up to the next blank; removes both from the line. */
static bool take_word(struct line *line, struct line *ret_word)
{
	const char *blank = memchr(line->text, ' ', line->length);

	if (!blank)
		return false;
	*ret_word = (struct line){line->text, (size_t)(blank - line->text)};
	line->length -= ret_word->length + 1;
	line->text = blank + 1;
	return true;
}

static bool is_word(const struct line *word, const char *text)
{
	return word->length == strlen(text) && !memcmp(word->text, text, word->length);
}

static int digit(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Two hexadecimal digits; -1 if they are not. */
static int take_byte(const char *text)
{
	int high = digit(text[0]), low = high < 0 ? -1 : digit(text[1]);

	return low < 0 ? -1 : high << 4 | low;
}

static int parse_key(const struct line *line, uint8_t key[static PSEUDONYM_KEY])
{
	if (line->length != strlen(key_word) + 2 * PSEUDONYM_KEY || memcmp(line->text, key_word, strlen(key_word)) != 0)
		return -EBADMSG;
	for (size_t i = 0; i < PSEUDONYM_KEY; i++) {
		int byte = take_byte(line->text + strlen(key_word) + 2 * i);

		if (byte < 0)
			return -EBADMSG;
		key[i] = (uint8_t)byte;
	}
	return 0;
}

/* Undoes write_escaped(); `out` has room for as many bytes as the line. */
static int unescape(const struct line *line, char *out, size_t *ret_length)
{
	size_t used = 0;

	for (size_t i = 0; i < line->length; i++) {
		int byte = (unsigned char)line->text[i];

		if (byte == '\\') {
			byte = line->length - i >= 4 && line->text[i + 1] == 'x' ? take_byte(line->text + i + 2) : -1;
			i += 3;
		}
		if (byte < 0)
			return -EBADMSG;
		out[used++] = (char)byte;
	}
	*ret_length = used;
	return 0;
}

static int parse_name(struct pseudonyms *names, struct line line)
{
	_cleanup_free_ char *name = malloc(line.length + 1);
	struct line class, text;
	const char *made;
	unsigned int i = 0;
	size_t length;
	int r;

	if (!name)
		return -ENOMEM;
	if (!take_word(&line, &class) || !take_word(&line, &text))
		return -EBADMSG;
	while (i < PSEUDONYM_CLASSES && !is_word(&class, words[i]))
		i++;
	r = i < PSEUDONYM_CLASSES ? unescape(&line, name, &length) : -EBADMSG;
	if (!r)
		r = pseudonyms_make(names, (enum pseudonym_class)i, name, length, &made);
	if (r < 0)
		return r == -EEXIST ? -EBADMSG : r;
	return is_word(&text, made) ? 0 : -EBADMSG;
}

int key_text_parse(const char *text, size_t length, struct pseudonyms **ret_names)
{
	const char *end = text + length;
	uint8_t key[PSEUDONYM_KEY];
	struct pseudonyms *names = NULL;
	struct line line;
	int r = take_line(&text, end, &line) && is_word(&line, first_line) && take_line(&text, end, &line) ?
		parse_key(&line, key) : -EBADMSG;

	if (!r)
		r = pseudonyms_create(key, PSEUDONYM_DIGITS, &names);
	explicit_bzero(key, sizeof(key));
	while (!r && text < end)
		r = take_line(&text, end, &line) ? parse_name(names, line) : -EBADMSG;
	if (r < 0) {
		pseudonyms_destroy(names);
		return r;
	}
	*ret_names = names;
	return 0;
}

/* --- writing --- */

static void write_escaped(FILE *out, const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char byte = (unsigned char)name[i];

		if (byte < 0x20 || byte == 0x7f || byte == '\\')
			(void)fprintf(out, "\\x%02x", byte);
		else
			(void)fputc(byte, out);
	}
}

int key_text_make(const struct pseudonyms *names, char **ret_text, size_t *ret_length)
{
	uint8_t key[PSEUDONYM_KEY];
	const struct pseudonym *item;
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return -ENOMEM;
	pseudonyms_key(names, key);
	(void)fprintf(out, "%s\n%s", first_line, key_word);
	for (size_t i = 0; i < sizeof(key); i++)
		(void)fprintf(out, "%02x", key[i]);
	explicit_bzero(key, sizeof(key));
	(void)fputc('\n', out);
	for (size_t i = 0; (item = pseudonyms_item(names, i)); i++) {
		(void)fprintf(out, "%s %s ", words[item->class], item->text);
		write_escaped(out, item->name, item->length);
		(void)fputc('\n', out);
	}
	if (fclose(out) != 0) {
		free(text);
		return -ENOMEM;
	}
	*ret_text = text;
	*ret_length = length;
	return 0;
}
