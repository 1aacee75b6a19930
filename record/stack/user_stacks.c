/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/stack/user_stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/stack/hold_table.h"

enum { LEAST_PLACES = 16384, MOST_BYTES = 64 << 20 };

struct user_stacks {
	struct hold_table table;
	struct user_stack *places;
	uint64_t *frames; /* max_frames for each */
	uint32_t max_frames;
};

size_t user_stacks_memory(void)
{
	return MOST_BYTES;
}

int user_stacks_create(uint32_t threads, uint32_t max_frames, unsigned int halvings, struct user_stacks **ret_stacks)
{
	const size_t bytes = max_frames * sizeof(uint64_t);
	const struct hold_limits limits = {threads, LEAST_PLACES, bytes, (size_t)MOST_BYTES >> halvings};
	struct user_stacks *stacks = calloc(1, sizeof(*stacks));

	if (!stacks)
		return -ENOMEM;
	stacks->max_frames = max_frames;
	if (!hold_table_init(&stacks->table, &limits)) {
		stacks->places = calloc(stacks->table.count, sizeof(*stacks->places));
		stacks->frames = calloc(stacks->table.count, bytes); /* pages are allocated as they are used */
	}
	if (!stacks->places || !stacks->frames) {
		user_stacks_destroy(stacks);
		return -ENOMEM;
	}
	*ret_stacks = stacks;
	return 0;
}

void user_stacks_destroy(struct user_stacks *stacks)
{
	if (!stacks)
		return;
	hold_table_deinit(&stacks->table);
	free(stacks->places);
	free(stacks->frames);
	free(stacks);
}

void user_stacks_keep(struct user_stacks *stacks, const struct user_stack *stack)
{
	uint32_t at = hold_table_put(&stacks->table, stack->tid, stack->out);
	struct user_stack *place = &stacks->places[at];
	uint64_t *frames = stacks->frames + (size_t)at * stacks->max_frames;

	*place = *stack;
	if (place->count > stacks->max_frames)
		place->count = stacks->max_frames;
	if (place->top > stacks->max_frames - place->count)
		place->top = 0;
	memcpy(frames, stack->frames, (place->count + place->top) * sizeof(*frames));
	place->frames = frames;
}

bool user_stacks_take(struct user_stacks *stacks, uint32_t tid, uint64_t out, struct user_stack *ret_stack)
{
	uint32_t place;

	if (!hold_table_take(&stacks->table, tid, out, &place))
		return false;
	*ret_stack = stacks->places[place];
	return true;
}
