/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/options/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "common/time_units.h"

/* --- the nearest name --- */

enum { LONGEST = 64 }; /* limit of the names considered */

static size_t smaller(size_t left, size_t right)
{
	return left < right ? left : right;
}

/* Edits that turn one word into the other; dynamic programming with one row. */
static size_t edit_distance(const char *left, size_t left_length, const char *right, size_t right_length)
{
	size_t row[LONGEST + 1];

	for (size_t i = 0; i <= right_length; i++)
		row[i] = i;
	for (size_t l = 1; l <= left_length; l++) {
		size_t diagonal = row[0];

		row[0] = l;
		for (size_t i = 1; i <= right_length; i++) {
			size_t replaced = diagonal + (left[l - 1] != right[i - 1]);

			diagonal = row[i];
			row[i] = smaller(replaced, smaller(row[i], row[i - 1]) + 1);
		}
	}
	return row[right_length];
}

struct nearest nearest_begin(const char *word, size_t length)
{
	return (struct nearest){.word = word, .length = length, .least = length / 3 + 2};
}

void nearest_try(struct nearest *nearest, const char *name)
{
	size_t length = strlen(name), difference, distance;

	difference = length > nearest->length ? length - nearest->length : nearest->length - length;
	if (nearest->length > LONGEST || length > LONGEST)
		return;
	if (!strncmp(name, nearest->word, nearest->length))
		distance = 0;
	else if (difference >= nearest->least)
		return;
	else
		distance = edit_distance(nearest->word, nearest->length, name, length);
	if (distance >= nearest->least)
		return;
	nearest->least = distance;
	nearest->name = name;
}

/* --- values --- */

/* Parses digits at *text; *ret_digits is their number. */
static int take_digits(const char **text, uint64_t *value, unsigned int *ret_digits)
{
	unsigned int digits = 0;

	for (; isdigit((unsigned char)**text); (*text)++, digits++)
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, (uint64_t)(**text - '0'), value))
			return -EINVAL;
	*ret_digits = digits;
	return 0;
}

int option_value_take_decimal(const char **text, unsigned int places, uint64_t *ret_value)
{
	unsigned int whole, fraction = 0;
	uint64_t value = 0;

	if (take_digits(text, &value, &whole) < 0)
		return -EINVAL;
	if (**text == '.') {
		(*text)++;
		if (take_digits(text, &value, &fraction) < 0 || fraction > places)
			return -EINVAL;
	}
	if (!whole && !fraction)
		return -EINVAL;
	for (; fraction < places; fraction++)
		if (__builtin_mul_overflow(value, 10, &value))
			return -EINVAL;
	*ret_value = value;
	return 0;
}

int option_value_decimal(const char *text, unsigned int places, uint64_t *ret_value)
{
	uint64_t value;

	if (option_value_take_decimal(&text, places, &value) < 0 || *text)
		return -EINVAL;
	*ret_value = value;
	return 0;
}

int option_value_size(const char *text, uint64_t *ret_bytes)
{
	static const char units[] = "KMGT";
	const char *unit;
	uint64_t value;

	if (option_value_take_decimal(&text, 0, &value) < 0)
		return -EINVAL;
	unit = *text ? strchr(units, toupper((unsigned char)*text)) : NULL;
	if (*text && (!unit || text[1]))
		return -EINVAL;
	for (const char *step = units; unit && step <= unit; step++)
		if (__builtin_mul_overflow(value, 1024, &value))
			return -EINVAL;
	*ret_bytes = value;
	return 0;
}

int option_value_ids(const char *text, uint32_t *ids, size_t room, size_t *count)
{
	for (;; text++) {
		unsigned int digits;
		uint64_t id = 0;

		if (take_digits(&text, &id, &digits) < 0 || !digits || id > INT32_MAX)
			return -EINVAL;
		if (*count == room)
			return -E2BIG;
		ids[(*count)++] = (uint32_t)id;
		if (*text != ',')
			return *text ? -EINVAL : 0;
	}
}

/* --- options --- */

enum { SUGGESTION_MAX = 32 }; /* longer names are not compared */

struct parser {
	const struct option_set *set;
	void *config;
	int argc, next; /* next: the first unprocessed word */
	char **argv;
};

const struct option_row *options_next(const struct option_set *set, const struct option_row *before)
{
	const struct option_row *const *choice = set->choices, *row;

	if (!before && choice && *choice)
		return *choice;
	while (choice && *choice && *choice != before)
		choice++;
	if (choice && *choice && choice[1])
		return choice[1];
	row = !before || (choice && *choice) ? set->rows : before + 1;
	return row->long_name || row->short_name ? row : NULL;
}

static bool value_is_optional(const struct option_row *row)
{
	return row->value_name && row->value_name[0] == '[';
}

static bool takes_value(const struct option_row *row)
{
	return row->value_name != NULL;
}

/* The long option closest to a word; NULL if none is near. */
static const char *nearest_name(const struct option_set *set, const char *word, size_t length)
{
	struct nearest nearest = nearest_begin(word, length);

	for OPTIONS_EACH(row, set)
		if (row->long_name)
			nearest_try(&nearest, row->long_name);
	return nearest.name;
}

const struct option_habit *options_habit(const struct option_set *set, const char *typed, size_t length)
{
	for (const struct option_habit *habit = set->habits; habit && habit->typed; habit++)
		if (!strncmp(habit->typed, typed, length) && !habit->typed[length])
			return habit;
	return NULL;
}

static int unknown_option(const struct parser *parser, const char *word, size_t length)
{
	const struct option_habit *habit = options_habit(parser->set, word, length);
	const char *nearest = word[0] == '-' && word[1] == '-' ? nearest_name(parser->set, word + 2, length - 2) : NULL;

	if (habit)
		return log_error(EINVAL, "'%s' %s", habit->typed, habit->answer);
	if (nearest)
		return log_error(EINVAL, "unknown option '%.*s'; did you mean '--%s'?", (int)length, word, nearest);
	return log_error(EINVAL, "unknown option '%.*s'; see --help", (int)length, word);
}

static const struct option_row *find_long(const struct option_set *set, const char *name, size_t length)
{
	for OPTIONS_EACH(row, set)
		if (row->long_name && !strncmp(row->long_name, name, length) && !row->long_name[length])
			return row;
	return NULL;
}

static const struct option_row *find_short(const struct option_set *set, char name)
{
	for OPTIONS_EACH(row, set)
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
		return log_error(EINVAL, "%s expects a number, not '%s'", spelled, value);
	if (errno == ERANGE || number < row->min || number > row->max)
		return log_error(EINVAL, "%s must be from %lld to %lld, not %s", spelled, (long long)row->min,
				 (long long)row->max, value);
	*ret_number = number;
	return 0;
}

static int parse_time(const struct option_row *row, const char *spelled, const char *value, int64_t *ret_time)
{
	const char *unit = row->unit == SECOND ? "s" : "us";
	double one = (double)row->unit;
	uint64_t time;

	if (duration_parse(value, row->unit, &time) < 0)
		return log_error(EINVAL, "%s expects a time such as %s, not '%s'", spelled,
				 row->unit == SECOND ? "5, 0.5, 500ms or 2m" : "1000 (microseconds), 50us or 2ms",
				 value);
	if (time < (uint64_t)row->min || time > (uint64_t)row->max)
		return log_error(EINVAL, "%s must be from %.15g%s to %.15g%s, not %s", spelled, (double)row->min / one,
				 unit, (double)row->max / one, unit, value);
	*ret_time = (int64_t)time;
	return 0;
}

void options_set_usual(const struct option_set *set, void *config)
{
	for OPTIONS_EACH(row, set)
		if (row->usual)
			*(int64_t *)((char *)config + row->offset) = row->usual;
}

/* Stores a value, or NULL if it was optional and left out. */
static int store_value(struct parser *parser, const struct option_row *row, const char *spelled, const char *value)
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
	case OPTION_TIME:
		return parse_time(row, spelled, value, member);
	case OPTION_TEXT:
		*(const char **)member = value ? value : "";
		return 0;
	case OPTION_LIST:
		if (list->count == OPTION_LIST_MAX)
			return log_error(EINVAL, "%s may be given at most %d times", spelled, OPTION_LIST_MAX);
		list->items[list->count++] = value ? value : "";
		return 0;
	case OPTION_PARSE:
		return row->parse(parser->config, value);
	case OPTION_CHOICE:
		return parser->set->choose(parser->config, row, value);
	}
	return log_error(EINVAL, "%s cannot be parsed; please report this bug", spelled);
}

/* What else the value may have been meant for: "-i FILE". */
static void say_habit(const struct parser *parser, const char *spelled)
{
	size_t length = strlen(spelled);

	for (const struct option_habit *habit = parser->set->habits; habit && habit->typed; habit++)
		if (!strncmp(habit->typed, spelled, length) && habit->typed[length] == ' ')
			log_info("'%s' %s", habit->typed, habit->answer);
}

static bool is_number(const char *value)
{
	return strspn(value, "-.0123456789") == strlen(value) && !strchr(value + (*value == '-'), '-');
}

static int store(struct parser *parser, const struct option_row *row, const char *spelled, const char *value)
{
	int r = store_value(parser, row, spelled, value);

	if (row->given)
		*(bool *)((char *)parser->config + row->given) = true;
	if (r < 0 && value && !is_number(value))
		say_habit(parser, spelled);
	return r;
}

/* The value of an option that needs one: the rest of its word, else the next word. */
static int take_value(struct parser *parser, const struct option_row *row, const char *spelled, const char *rest,
		      const char **ret_value)
{
	if (!rest && parser->next == parser->argc)
		return log_error(EINVAL, "%s requires a value: %s", spelled, row->value_name);
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
	if (!takes_value(row) && value)
		return log_error(EINVAL, "%s takes no value", spelled);
	if (takes_value(row) && !value_is_optional(row)) {
		r = take_value(parser, row, spelled, value, &value);
		if (r < 0)
			return r;
	}
	return store(parser, row, spelled, value);
}

/* The long option meant by "-pid", which would be -p id, or by a habit's "-stdio". */
static const char *without_a_dash(const struct option_set *set, const char *word)
{
	size_t length = strcspn(word + 1, "=");
	const struct option_row *row = length > 2 ? find_long(set, word + 1, length) : NULL;
	char spelled[SUGGESTION_MAX * 2 + 3];
	const struct option_habit *habit;

	if (row || length <= 2)
		return row ? row->long_name : NULL;
	(void)snprintf(spelled, sizeof(spelled), "-%.*s", (int)length + 1, word);
	habit = options_habit(set, spelled, strlen(spelled));
	return habit ? habit->typed + 2 : NULL;
}

/* One word of bundled short options; the first that takes a value takes the rest of the word. */
static int parse_short(struct parser *parser, const char *word)
{
	const char *long_name = without_a_dash(parser->set, word);

	if (long_name)
		return log_error(EINVAL, "'%s' has one dash: did you mean '--%s'?", word, long_name);
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

static int parse_word(struct parser *parser, struct option_list *words, const char *word)
{
	if (!strcmp(parser->argv[parser->next - 2], "--completion"))
		return log_error(EINVAL, "'%s' belongs to no option: the shell follows '=', as in --completion=zsh",
				 word);
	if (parser->set->refuse_word)
		return parser->set->refuse_word(parser->argc, parser->argv, parser->next - 1);
	if (!words)
		return log_error(EINVAL, "unexpected argument '%s'; see --help", word);
	if (words->count == OPTION_LIST_MAX)
		return log_error(EINVAL, "too many arguments: at most %d", OPTION_LIST_MAX);
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
			r = parse_word(&parser, words, word);
		else
			r = word[1] == '-' ? parse_long(&parser, word) : parse_short(&parser, word);
		if (r < 0)
			return -EINVAL;
	}
	*ret_rest = parser.next;
	return 0;
}

/* "4" or "4-7"; advances *text past it. */
static int parse_range(const char **text, size_t bits, uint64_t *ret_first, uint64_t *ret_last)
{
	uint64_t first = 0, last = 0;
	unsigned int digits, more = 1;
	int r = take_digits(text, &first, &digits);

	if (!r && digits && **text == '-') {
		(*text)++;
		r = take_digits(text, &last, &more);
	} else {
		last = first;
	}
	if (!digits || !more)
		return -EINVAL;
	if (!r && first > last)
		return -EINVAL;
	if (r < 0 || last >= bits)
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
