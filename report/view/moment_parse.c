/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/moment_parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "common/options/options.h"
#include "common/time_units.h"

enum {
	MOST_TEXT = 64,
	SECOND_PLACES = 9,
	SECONDS_PER_DAY = 86400,
};

/* A NUL-terminated copy of the text. */
static int copy_text(const char *text, size_t length, char copy[MOST_TEXT])
{
	if (length >= MOST_TEXT || memchr(text, '\0', length))
		return -EINVAL;
	memcpy(copy, text, length);
	copy[length] = '\0';
	return 0;
}

/* Parses exactly that many digits, followed by the mark; '\0': no mark. */
static int read_field(const char **text, unsigned int digits, char mark, unsigned int *ret_value)
{
	unsigned int value = 0;

	for (; digits; digits--, (*text)++) {
		if (!isdigit((unsigned char)**text))
			return -EINVAL;
		value = value * 10 + (unsigned int)(**text - '0');
	}
	if (mark && *(*text)++ != mark)
		return -EINVAL;
	*ret_value = value;
	return 0;
}

static bool is_leap(unsigned int year)
{
	return !(year % 4) && (year % 100 || !(year % 400));
}

/* Days from 1970-01-01 to a day of the Gregorian calendar. */
static int count_days(unsigned int year, unsigned int month, unsigned int day, uint64_t *ret_days)
{
	static const unsigned int month_days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	uint64_t days = 0;

	if (year < 1970 || month < 1 || month > 12 || day < 1 ||
	    day > month_days[month - 1] + (month == 2 && is_leap(year)))
		return -EINVAL;
	for (unsigned int y = 1970; y < year; y++)
		days += 365 + is_leap(y);
	for (unsigned int m = 1; m < month; m++)
		days += month_days[m - 1] + (m == 2 && is_leap(year));
	*ret_days = days + day - 1;
	return 0;
}

/* "2026-11-21 " or "2026-11-21T" */
static int read_date(const char **text, uint64_t *ret_days)
{
	unsigned int year, month, day;

	if (read_field(text, 4, '-', &year) < 0 || read_field(text, 2, '-', &month) < 0 ||
	    read_field(text, 2, '\0', &day) < 0)
		return -EINVAL;
	if (**text != ' ' && **text != 'T')
		return -EINVAL;
	(*text)++;
	return count_days(year, month, day, ret_days);
}

/* "03.25" */
static int read_seconds(const char **text, uint64_t *ret_ns)
{
	if (!isdigit((unsigned char)(*text)[0]) || !isdigit((unsigned char)(*text)[1]) ||
	    isdigit((unsigned char)(*text)[2]))
		return -EINVAL;
	if (option_value_take_decimal(text, SECOND_PLACES, ret_ns) < 0)
		return -EINVAL;
	return *ret_ns < 60 * SECOND ? 0 : -EINVAL;
}

/* "12:00", "12:00:03.25", optionally followed by a word for UTC, up to the end of the text. */
static int parse_daytime(const char *text, uint64_t *ret_ns)
{
	unsigned int hour, minute;
	uint64_t seconds = 0;

	if (read_field(&text, 2, ':', &hour) < 0 || read_field(&text, 2, '\0', &minute) < 0 ||
	    hour > 23 || minute > 59)
		return -EINVAL;
	if (*text == ':') {
		text++;
		if (read_seconds(&text, &seconds) < 0)
			return -EINVAL;
	}
	if (*text && strcmp(text, "Z") != 0 && strcmp(text, " UTC") != 0)
		return -EINVAL;
	*ret_ns = (hour * 3600 + minute * 60) * SECOND + seconds;
	return 0;
}

static int parse_date_and_time(const char *text, uint64_t *ret_ns)
{
	uint64_t days, daytime, ns;

	if (read_date(&text, &days) < 0 || parse_daytime(text, &daytime) < 0)
		return -EINVAL;
	if (__builtin_mul_overflow(days, SECONDS_PER_DAY * SECOND, &ns) ||
	    __builtin_add_overflow(ns, daytime, &ns))
		return -EINVAL;
	*ret_ns = ns;
	return 0;
}

static int parse_since_1970(const char *text, uint64_t *ret_ns)
{
	return option_value_take_decimal(&text, SECOND_PLACES, ret_ns) < 0 || *text ? -EINVAL : 0;
}

int moment_parse(const char *text, size_t length, struct profile_moment *ret_moment)
{
	struct profile_moment moment = {.kind = PROFILE_MOMENT_OFFSET};
	char copy[MOST_TEXT];
	int r;

	if (copy_text(text, length, copy) < 0)
		return -EINVAL;
	if (copy[0] == '@') {
		moment.kind = PROFILE_MOMENT_WALL;
		r = parse_since_1970(copy + 1, &moment.ns);
	} else if (strchr(copy, '-')) {
		moment.kind = PROFILE_MOMENT_WALL;
		r = parse_date_and_time(copy, &moment.ns);
	} else if (strchr(copy, ':')) {
		moment.kind = PROFILE_MOMENT_DAYTIME;
		r = parse_daytime(copy, &moment.ns);
	} else {
		r = duration_parse(copy + (copy[0] == '+'), SECOND, &moment.ns);
	}
	if (!r)
		*ret_moment = moment;
	return r;
}

static int moment_parse_duration(const char *text, size_t length, uint64_t *ret_ns)
{
	char copy[MOST_TEXT];
	uint64_t ns;

	if (copy_text(text, length, copy) < 0 || duration_parse(copy, SECOND, &ns) < 0)
		return -EINVAL;
	*ret_ns = ns;
	return 0;
}

/* The first mark between a moment and a length; NULL if there is none. */
static const char *find_mark(const char *text, size_t *ret_length)
{
	static const char *const marks[] = {"±", "+-", "~"};
	const char *first = NULL;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const char *found = strstr(text, marks[i]);

		if (found && (!first || found < first)) {
			first = found;
			*ret_length = strlen(marks[i]);
		}
	}
	return first;
}

int moment_parse_around(const char *text, struct profile_moment *ret_moment, uint64_t *ret_around)
{
	size_t mark_length = 0, length = strlen(text);
	const char *mark = find_mark(text, &mark_length);
	struct profile_moment moment;
	uint64_t around = 0;

	if (moment_parse(text, mark ? (size_t)(mark - text) : length, &moment) < 0)
		return -EINVAL;
	if (mark && moment_parse_duration(mark + mark_length, strlen(mark + mark_length), &around) < 0)
		return -EINVAL;
	*ret_moment = moment;
	*ret_around = around;
	return 0;
}

int moment_parse_span(const char *text, struct profile_moment *ret_from, struct profile_moment *ret_to)
{
	struct profile_moment from = {.kind = PROFILE_MOMENT_NONE}, to = {.kind = PROFILE_MOMENT_NONE};
	const char *comma = strchr(text, ',');

	if (!comma)
		return -EINVAL;
	if (comma != text && moment_parse(text, (size_t)(comma - text), &from) < 0)
		return -EINVAL;
	if (comma[1] && moment_parse(comma + 1, strlen(comma + 1), &to) < 0)
		return -EINVAL;
	/* Midnight may be between the two times of day. */
	if (from.kind == to.kind && from.kind != PROFILE_MOMENT_DAYTIME && from.ns > to.ns)
		return -EINVAL;
	*ret_from = from;
	*ret_to = to;
	return 0;
}
