/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/cache/line_levels.h"

#include <string.h>

enum { LEAST = 64, MOST = 4096 }; /* levels per block; each block has twice as many as the previous one */

void line_levels_deinit(struct line_levels *levels)
{
	for (size_t i = 0; i < levels->blocks.count; i++)
		free(levels->blocks.items[i]);
	array_free(&levels->blocks);
	*levels = (struct line_levels){0};
}

static int add_block(struct line_levels *levels, size_t least)
{
	size_t number = levels->blocks.count, room = number < 6 ? (size_t)LEAST << number : MOST;
	struct line_level *block;

	if (room < least)
		room = least;
	block = reallocarray(NULL, room, sizeof(*block));
	if (!block || array_push(&levels->blocks, block) < 0) {
		free(block);
		return -ENOMEM;
	}
	levels->next = block;
	levels->left = room;
	return 0;
}

int line_levels_keep(struct line_levels *levels, const struct line_level *from, size_t count,
		     const struct line_level **ret_kept)
{
	*ret_kept = NULL;
	if (!count)
		return 0;
	if (count > levels->left && add_block(levels, count) < 0)
		return -ENOMEM;
	memcpy(levels->next, from, count * sizeof(*from));
	*ret_kept = levels->next;
	levels->next += count;
	levels->left -= count;
	return 0;
}
