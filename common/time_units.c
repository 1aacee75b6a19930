/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/time_units.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

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

int duration_parse(const char *text, uint64_t unit, uint64_t *ret_ns)
{
	static const uint64_t most_scale = 1000000000000000000;
	unsigned __int128 value = 0;
	uint64_t scale = 1;
	bool point = false, digits = false;

	for (; isdigit((unsigned char)*text) || (*text == '.' && !point); text++) {
		if (*text == '.') {
			point = true;
			continue;
		}
		digits = true;
		value = value * 10 + (uint64_t)(*text - '0');
		scale *= point ? 10 : 1;
		if (value > UINT64_MAX || scale > most_scale)
			return -EINVAL;
	}
	if (!digits || find_unit(text, &unit) < 0)
		return -EINVAL;
	value *= unit;
	if (value % scale || value / scale > UINT64_MAX)
		return -EINVAL;
	*ret_ns = (uint64_t)(value / scale);
	return 0;
}
