/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/nearest.h"

#include <string.h>

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
