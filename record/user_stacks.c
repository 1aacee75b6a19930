/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/user_stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 4096, MEMORY = 8 << 20, LEAST_PLACES = 256 };

struct user_stacks {
	struct user_stack *places; /* a power of two of them */
	uint64_t *frames;	   /* max_frames for each */
	uint32_t count, max_frames;
};

int user_stacks_create(uint32_t max_frames, struct user_stacks **ret_stacks)
{
	struct user_stacks *stacks = calloc(1, sizeof(*stacks));

	if (!stacks)
		return -ENOMEM;
	stacks->max_frames = max_frames;
	for (stacks->count = PLACES; stacks->count > LEAST_PLACES; stacks->count /= 2)
		if ((size_t)stacks->count * max_frames * sizeof(uint64_t) <= MEMORY)
			break;
	stacks->places = calloc(stacks->count, sizeof(*stacks->places));
	stacks->frames = calloc(stacks->count, max_frames * sizeof(uint64_t)); /* pages come as they are used */
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
	free(stacks->places);
	free(stacks->frames);
	free(stacks);
}

/* Threads of one process have numbers near to each other: these lie apart. */
static uint32_t place_of(const struct user_stacks *stacks, uint32_t tid)
{
	return tid & (stacks->count - 1);
}

void user_stacks_keep(struct user_stacks *stacks, const struct user_stack *stack)
{
	uint32_t at = place_of(stacks, stack->tid);
	struct user_stack *place = &stacks->places[at];
	uint64_t *frames = stacks->frames + (size_t)at * stacks->max_frames;

	*place = *stack;
	if (place->count > stacks->max_frames)
		place->count = stacks->max_frames;
	memcpy(frames, stack->frames, place->count * sizeof(*frames));
	place->frames = frames;
}

bool user_stacks_take(struct user_stacks *stacks, uint32_t tid, uint64_t out, struct user_stack *ret_stack)
{
	const struct user_stack *place = &stacks->places[place_of(stacks, tid)];

	if (place->tid != tid || place->out != out || !out)
		return false;
	*ret_stack = *place;
	return true;
}
