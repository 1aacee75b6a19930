/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "common/nearest.h"

enum { SUGGESTION_MAX = 32 }; /* longer names are not compared */

struct parser {
	const struct option_set *set;
	void *config;
	int argc, next; /* next: the first word nobody has looked at */
	char **argv;
};

static bool is_last(const struct option_row *row)
{
	return !row->long_name && !row->short_name;
}

static bool value_is_optional(const struct option_row *row)
{
	return row->value_name && row->value_name[0] == '[';
}

static bool takes_value(const struct option_row *row)
{
	return row->kind != OPTION_FLAG && row->kind != OPTION_HINT;
}

/* The long option most like a word; NULL where none is near. */
static const char *nearest_name(const struct option_set *set, const char *word, size_t length)
{
	struct nearest nearest = nearest_begin(word, length);

	for (const struct option_row *row = set->rows; !is_last(row); row++)
		if (row->long_name)
			nearest_try(&nearest, row->long_name);
	return nearest.name;
}

static int unknown_option(const struct parser *parser, const char *word, size_t length)
{
	const char *nearest = word[0] == '-' && word[1] == '-' ? nearest_name(parser->set, word + 2, length - 2) : NULL;

	if (nearest)
		return log_error(EINVAL, "unknown option \"%.*s\"; did you mean \"--%s\"?", (int)length, word, nearest);
	return log_error(EINVAL, "unknown option \"%.*s\"; --help lists them", (int)length, word);
}

static const struct option_row *find_long(const struct option_set *set, const char *name, size_t length)
{
	for (const struct option_row *row = set->rows; !is_last(row); row++)
		if (row->long_name && !strncmp(row->long_name, name, length) && !row->long_name[length])
			return row;
	return NULL;
}

static const struct option_row *find_short(const struct option_set *set, char name)
{
	for (const struct option_row *row = set->rows; !is_last(row); row++)
		if (row->short_name == name)
			return row;
	return NULL;
}

static int parse_number(const struct option_row *row, const char *spelled, const char *value, int64_t *ret_number)
{
	long long number;
	char *end;

	errno = 0;
	number = strtoll(value, &end, 10);
	if (end == value || *end || isspace((unsigned char)value[0]) || value[0] == '+')
		return log_error(EINVAL, "%s wants a number, not \"%s\"", spelled, value);
	if (errno == ERANGE || number < row->min || number > row->max)
		return log_error(EINVAL, "%s %s: not within %lld and %lld", spelled, value, (long long)row->min,
				 (long long)row->max);
	*ret_number = number;
	return 0;
}

/* Stores a value, or NULL where it was optional and left out. */
static int store(struct parser *parser, const struct option_row *row, const char *spelled, const char *value)
{
	void *member = (char *)parser->config + row->offset;
	struct option_list *list = member;

	switch (row->kind) {
	case OPTION_FLAG:
		*(bool *)member = true;
		return 0;
	case OPTION_NUMBER:
		if (value)
			return parse_number(row, spelled, value, member);
		*(int64_t *)member = row->min;
		return 0;
	case OPTION_TEXT:
		*(const char **)member = value ? value : "";
		return 0;
	case OPTION_LIST:
		if (list->count == OPTION_LIST_MAX)
			return log_error(EINVAL, "%s is given more than %d times", spelled, OPTION_LIST_MAX);
		list->items[list->count++] = value ? value : "";
		return 0;
	case OPTION_PARSE:
		return row->parse(parser->config, value);
	case OPTION_HINT:
		return log_error(EINVAL, "%s: %s", spelled, row->help);
	}
	return log_error(EINVAL, "%s is of no kind", spelled);
}

/* The value of an option that needs one: the rest of its word, else the next word. */
static int take_value(struct parser *parser, const struct option_row *row, const char *spelled, const char *rest,
		      const char **ret_value)
{
	if (!rest && parser->next == parser->argc)
		return log_error(EINVAL, "%s needs a value: %s", spelled, row->value_name);
	*ret_value = rest ? rest : parser->argv[parser->next++];
	return 0;
}

static int parse_long(struct parser *parser, const char *word)
{
	const char *equals = strchr(word, '='), *value = equals ? equals + 1 : NULL;
	size_t length = equals ? (size_t)(equals - word) : strlen(word);
	const struct option_row *row = find_long(parser->set, word + 2, length - 2);
	char spelled[SUGGESTION_MAX * 2 + 3];
	int r;

	if (!row)
		return unknown_option(parser, word, length);
	(void)snprintf(spelled, sizeof(spelled), "--%s", row->long_name);
	if (row->kind == OPTION_FLAG && value)
		return log_error(EINVAL, "%s takes no value", spelled);
	if (takes_value(row) && !value_is_optional(row)) {
		r = take_value(parser, row, spelled, value, &value);
		if (r < 0)
			return r;
	}
	return store(parser, row, spelled, value);
}

/* One word of bundled short options; the first that takes a value takes the rest of the word. */
static int parse_short(struct parser *parser, const char *word)
{
	for (const char *letter = word + 1; *letter; letter++) {
		const struct option_row *row = find_short(parser->set, *letter);
		char spelled[] = {'-', *letter, '\0'};
		const char *value = NULL;
		int r;

		if (!row)
			return unknown_option(parser, spelled, strlen(spelled));
		if (takes_value(row) && !value_is_optional(row)) {
			r = take_value(parser, row, spelled, letter[1] ? letter + 1 : NULL, &value);
			if (r < 0)
				return r;
		}
		r = store(parser, row, spelled, value);
		if (r < 0 || value)
			return r;
	}
	return 0;
}

static int parse_word(struct option_list *words, const char *word)
{
	if (!words)
		return log_error(EINVAL, "unexpected \"%s\"; --help shows the usage", word);
	if (words->count == OPTION_LIST_MAX)
		return log_error(EINVAL, "more than %d arguments", OPTION_LIST_MAX);
	words->items[words->count++] = word;
	return 0;
}

int options_parse(const struct option_set *set, void *config, struct option_list *words, int argc, char **argv,
		  int *ret_rest)
{
	struct parser parser = {.set = set, .config = config, .argc = argc, .next = argc > 0, .argv = argv};

	while (parser.next < argc) {
		const char *word = argv[parser.next++];
		int r;

		if (!strcmp(word, "--"))
			break;
		if (word[0] != '-' || !word[1])
			r = parse_word(words, word);
		else
			r = word[1] == '-' ? parse_long(&parser, word) : parse_short(&parser, word);
		if (r < 0)
			return -EINVAL;
	}
	*ret_rest = parser.next;
	return 0;
}

/* A number without sign or blanks; moves *text behind it. */
static int parse_index(const char **text, uint64_t *ret_index)
{
	unsigned long long index;
	char *end;

	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	errno = 0;
	index = strtoull(*text, &end, 10);
	if (errno)
		return -ERANGE;
	*text = end;
	*ret_index = index;
	return 0;
}

/* "4" or "4-7"; moves *text behind it. */
static int parse_range(const char **text, size_t bits, uint64_t *ret_first, uint64_t *ret_last)
{
	uint64_t first, last;
	int r = parse_index(text, &first);

	last = first;
	if (!r && **text == '-') {
		(*text)++;
		r = parse_index(text, &last);
	}
	if (r < 0)
		return r;
	if (first > last)
		return -EINVAL;
	if (last >= bits)
		return -ERANGE;
	*ret_first = first;
	*ret_last = last;
	return 0;
}

int options_parse_list(const char *text, uint64_t *bitmap, size_t bits)
{
	memset(bitmap, 0, (bits + 63) / 64 * sizeof(*bitmap));
	for (;; text++) {
		uint64_t first, last;
		int r = parse_range(&text, bits, &first, &last);

		if (r < 0)
			return r;
		for (uint64_t i = first; i <= last; i++)
			bitmap[i / 64] |= (uint64_t)1 << (i % 64);
		if (*text != ',')
			return *text ? -EINVAL : 0;
	}
}
