/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/line_answers.h"

#include <string.h>

int line_answers_init(struct line_answers *answers, const uint64_t *addresses, size_t count)
{
	*answers = (struct line_answers){.count = count};
	answers->addresses = calloc(count + 1, sizeof(*answers->addresses));
	answers->places = calloc(count + 1, sizeof(*answers->places));
	if (!answers->addresses || !answers->places) {
		line_answers_deinit(answers);
		return -ENOMEM;
	}
	if (count)
		memcpy(answers->addresses, addresses, count * sizeof(*addresses));
	return 0;
}

void line_answers_deinit(struct line_answers *answers)
{
	free(answers->addresses);
	free(answers->places);
	line_levels_deinit(&answers->levels);
	*answers = (struct line_answers){0};
}

int line_answers_put(struct line_answers *answers, size_t number, const struct line_level *levels, size_t count)
{
	const struct line_level *kept;
	int r = line_levels_keep(&answers->levels, levels, count, &kept);

	if (r == 0)
		line_answers_point(answers, number, kept, count);
	return r;
}

void line_answers_point(struct line_answers *answers, size_t number, const struct line_level *levels, size_t count)
{
	answers->places[number] = (struct line_place){.levels = levels, .count = count};
}

size_t line_answers_find(const struct line_answers *answers, uint64_t address, const struct line_level **ret_levels)
{
	const uint64_t *base = answers->addresses; /* becomes the last one that is not behind the address */
	const struct line_place *place;

	if (!answers->count)
		return 0;
	for (size_t count = answers->count; count > 1;) {
		size_t half = count / 2;

		base += base[half] <= address ? half : 0;
		count -= half;
	}
	place = &answers->places[base - answers->addresses];
	if (*base != address || !place->count)
		return 0;
	*ret_levels = place->levels;
	return place->count;
}
