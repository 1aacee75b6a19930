/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * User stacks that were taken when their thread went to sleep, kept until it is known whether the
 * wait is long enough to get a record (hold_table.h). If a stack was evicted and its wait gets a
 * record after all, that record says that the stack was not kept.
 */
#ifndef RWALKER_RECORD_STACK_USER_STACKS_H
#define RWALKER_RECORD_STACK_USER_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct user_stacks;

struct user_stack {
	uint64_t out; /* the switch-out at which it was taken */
	uint32_t tid, count;
	uint32_t top; /* words of the struct ring_top behind the frames */
	uint32_t reason; /* enum user_missing */
	bool truncated;
	bool snapshot, no_snapshot; /* a snapshot was written with it; one should have been, but could not */
	const uint64_t *frames;
};

/* threads: estimated number; max_frames: of one stack; halvings: of their most memory. 0, -errno. */
int user_stacks_create(uint32_t threads, uint32_t max_frames, unsigned int halvings, struct user_stacks **ret_stacks);
size_t user_stacks_memory(void); /* bytes */
void user_stacks_destroy(struct user_stacks *stacks);

void user_stacks_keep(struct user_stacks *stacks, const struct user_stack *stack);
/*
 * Returns what was kept for the thread's wait that began at `out`, once; valid until the next stack
 * is kept. False: not there (any more).
 */
bool user_stacks_take(struct user_stacks *stacks, uint32_t tid, uint64_t out, struct user_stack *ret_stack);

#endif
