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
	array_free(&answers->levels);
	*answers = (struct line_answers){0};
}

int line_answers_put(struct line_answers *answers, size_t number, const struct line_level *levels, size_t count)
{
	size_t first = answers->levels.count;

	if (first + count >= UINT32_MAX || array_reserve(&answers->levels, first + count) < 0)
		return -ENOMEM;
	if (count)
		memcpy(answers->levels.items + first, levels, count * sizeof(*levels));
	answers->levels.count += count;
	answers->places[number] = (struct line_place){.first = (uint32_t)first, .count = (uint32_t)count};
	return 0;
}

size_t line_answers_find(const struct line_answers *answers, uint64_t address, const struct line_level **ret_levels)
{
	size_t low = 0, high = answers->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (answers->addresses[middle] < address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == answers->count || answers->addresses[low] != address || !answers->places[low].count)
		return 0;
	*ret_levels = &answers->levels.items[answers->places[low].first];
	return answers->places[low].count;
}
