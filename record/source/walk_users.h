/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The call chain of a snapshot by frame pointers. It is walked as the kernel walks a running task,
 * within what was copied.
 */
#ifndef RWALKER_RECORD_SOURCE_WALK_USERS_H
#define RWALKER_RECORD_SOURCE_WALK_USERS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/ring.h"
#include "format/event_encoder.h"

struct probe;
struct recording;
struct ring_top;
struct snapshot;
struct spawner;
struct walk_users;

/*
 * Writes at most `room` frames, leaf first. Returns the number of frames. *ret_cut: the chain
 * continues beyond what was copied, or beyond the room.
 */
uint32_t frame_chain(const struct snapshot *snapshot, uint64_t *frames, uint32_t room, bool *ret_cut);

/* What lies at the top of a user stack, as marks and addresses behind the leaf (FORMAT.md §6.2). */

/* Puts them between the leaf of the user stack and its callers, in the recording's memory. words: of all of `top`. */
void stack_words_add(struct recording *recording, uint32_t tgid, const struct ring_top *top, uint32_t words,
		     struct event_stacks *stacks);

/*
 * Rows of a walk, or of the last look at waits, that still lack their user stacks. They are held
 * while sleepers.h copies the stacks of the tasks that sleep, and returned one by one, each once:
 * with its stack, or with the reason why there is none. Memory is fixed.
 */

struct walk_user {
	const uint64_t *frames; /* leaf first, and behind them a struct ring_top of `top` words */
	uint32_t count, top;
	bool cut;
	uint32_t snapshot; /* in the log; 0: none */
	uint32_t missing;  /* enum user_missing */
	const struct ring_task *owner; /* owner of the mutex that the task sleeps for; NULL: not known */
};

typedef void walk_users_emit(void *context, const struct ring_walk_task *row, const struct walk_user *user);

/* 0, -errno. */
int walk_users_create(struct recording *recording, const struct probe *probe, struct spawner *spawner,
		      struct walk_users **ret_users);
/* The most memory that rows without their user stacks take, if that is not halved; bytes. */
size_t walk_users_memory(void);
void walk_users_destroy(struct walk_users *users);

/*
 * Copies a row of `size` bytes; not to be called between begin and the end of that round. If there
 * is no room for it, the rows that are held get their stacks first, which may take as long as a
 * round.
 */
void walk_users_hold(struct walk_users *users, const struct ring_walk_task *row, size_t size,
		     walk_users_emit *emit, void *context);
void walk_users_begin(struct walk_users *users);
/* Waits for at most timeout_ms. Returns true if all rows were returned. */
bool walk_users_step(struct walk_users *users, int timeout_ms, walk_users_emit *emit, void *context);
/* Steps until all rows were returned; rows that have no stack after budget_ms get none. */
void walk_users_finish(struct walk_users *users, unsigned int budget_ms, walk_users_emit *emit, void *context);

#endif
