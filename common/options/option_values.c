/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/options/option_values.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
