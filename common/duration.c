/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/duration.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "common/time_units.h"

static int find_unit(const char *name, uint64_t *unit)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{"ns", 1},	  {"us", MICROSECOND}, {"µs", MICROSECOND}, {"ms", MILLISECOND},
		{"s", SECOND},	  {"sec", SECOND},     {"m", 60 * SECOND},  {"min", 60 * SECOND},
		{"h", 3600 * SECOND}, {"d", 86400 * SECOND},
	};

	if (!*name)
		return 0;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(name, units[i].name)) {
			*unit = units[i].ns;
			return 0;
		}
	return -EINVAL;
}

/* Each digit weighs a tenth of the one before; the first one a tenth of the unit. */
static int add_fraction(const char *digits, size_t count, uint64_t unit, uint64_t *value)
{
	uint64_t weight;

	for (; count; count--, digits++) {
		if (unit % 10)
			return -EINVAL;
		unit /= 10;
		if (__builtin_mul_overflow(unit, (uint64_t)(*digits - '0'), &weight) ||
		    __builtin_add_overflow(*value, weight, value))
			return -EINVAL;
	}
	return 0;
}

static int parse_whole(const char *digits, size_t count, uint64_t unit, uint64_t *value)
{
	for (; count; count--, digits++)
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, (uint64_t)(*digits - '0'), value))
			return -EINVAL;
	return __builtin_mul_overflow(*value, unit, value) ? -EINVAL : 0;
}

int duration_parse(const char *text, uint64_t unit, uint64_t *ret_ns)
{
	static const char digits[] = "0123456789";
	size_t whole = strspn(text, digits), point = text[whole] == '.';
	const char *fraction = text + whole + point;
	size_t fraction_length = point ? strspn(fraction, digits) : 0;
	uint64_t value = 0;

	if ((!whole && !fraction_length) || find_unit(fraction + fraction_length, &unit) < 0 ||
	    parse_whole(text, whole, unit, &value) < 0 || add_fraction(fraction, fraction_length, unit, &value) < 0)
		return -EINVAL;
	*ret_ns = value;
	return 0;
}
