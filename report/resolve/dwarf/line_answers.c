/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/dwarf/line_answers.h"

#include <string.h>

enum { LEAST = 64, MOST = 4096 }; /* levels per block; each block has twice as many as the previous one */

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
	if (address_buckets_init(&answers->buckets, answers->addresses, count) < 0) {
		line_answers_deinit(answers);
		return -ENOMEM;
	}
	return 0;
}

void line_answers_deinit(struct line_answers *answers)
{
	free(answers->addresses);
	free(answers->places);
	for (size_t i = 0; i < answers->blocks.count; i++)
		free(answers->blocks.items[i]);
	array_free(&answers->blocks);
	address_buckets_deinit(&answers->buckets);
	*answers = (struct line_answers){0};
}

static int add_block(struct line_answers *answers, size_t least)
{
	const size_t number = answers->blocks.count;
	size_t room = number < 6 ? (size_t)LEAST << number : MOST;
	struct line_level *block;

	if (room < least)
		room = least;
	block = reallocarray(NULL, room, sizeof(*block));
	if (!block || array_push(&answers->blocks, block) < 0) {
		free(block);
		return -ENOMEM;
	}
	answers->next = block;
	answers->left = room;
	return 0;
}

int line_answers_put(struct line_answers *answers, size_t number, const struct line_level *levels,
		     size_t count)
{
	if (count > answers->left && add_block(answers, count) < 0)
		return -ENOMEM;
	line_answers_point(answers, number, answers->next, count);
	if (!count)
		return 0;
	memcpy(answers->next, levels, count * sizeof(*levels));
	answers->next += count;
	answers->left -= count;
	return 0;
}

void line_answers_point(struct line_answers *answers, size_t number,
			const struct line_level *levels, size_t count)
{
	answers->places[number] = (struct line_place){.levels = levels, .count = count};
}

size_t line_answers_find(const struct line_answers *answers, uint64_t address,
			 const struct line_level **ret_levels)
{
	size_t at;

	if (!address_buckets_find(&answers->buckets, answers->addresses, answers->count, address, &at) ||
	    answers->addresses[at] != address || !answers->places[at].count)
		return 0;
	*ret_levels = answers->places[at].levels;
	return answers->places[at].count;
}
