/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/source/walk_users.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/ring_object.h"
#include "common/cleanup.h"
#include "common/time_units.h"
#include "format/event_log.h"
#include "record/machine/clocks.h"
#include "record/plan/deadlines.h"
#include "record/plan/recording.h"
#include "record/probe/probe.h"
#include "record/source/sleepers.h"
#include "record/stack/arch_registers.h"
#include "record/stack/frame_chain.h"
#include "record/stack/snapshots.h"

enum { HELD_BYTES = 8 << 20, /* pages are allocated as they are used */
       STEP_MS = 10 };

struct held_row {
	uint32_t at;	  /* in the buffer */
	uint32_t missing; /* enum user_missing; 0: its stack is wanted */
	bool given;
};

struct walk_users {
	struct recording *recording;
	struct sleepers *sleepers; /* NULL: the kernel refused the program */
	uint8_t *buffer;
	struct held_row *rows;
	size_t used, room;
	uint32_t count, next; /* rows; the one after the last that was answered */
	walk_users_emit *emit;
	void *context;
	struct snapshot snapshot;
	uint64_t frames[RING_MAX_FRAMES + RING_TOP_HEAD + RING_TOP_WORDS];
};

size_t walk_users_memory(void)
{
	return HELD_BYTES;
}

int walk_users_create(struct recording *recording, const struct probe *probe, struct spawner *spawner,
		      struct walk_users **ret_users)
{
	struct walk_users *users = calloc(1, sizeof(*users));
	int r = 0;

	if (!users)
		return -ENOMEM;
	users->recording = recording;
	users->room = (size_t)HELD_BYTES >> recording->halvings;
	users->buffer = malloc(users->room);
	users->rows = calloc(RING_MAX_SLEEPERS, sizeof(*users->rows));
	if (!users->buffer || !users->rows)
		r = -ENOMEM;
	if (!r && probe_sleepers_page(probe) >= 0)
		r = sleepers_create(probe, spawner, (uint32_t)recording->config->snapshot_bytes & ~7U,
				    &users->sleepers);
	if (r < 0) {
		walk_users_destroy(users);
		return r;
	}
	*ret_users = users;
	return 0;
}

void walk_users_destroy(struct walk_users *users)
{
	if (!users)
		return;
	sleepers_destroy(users->sleepers);
	free(users->buffer);
	free(users->rows);
	free(users);
}

/* --- incoming rows ----------------------------------------------------------------------------- */

static const struct ring_walk_task *row_of(const struct walk_users *users, const struct held_row *held)
{
	return (const void *)(users->buffer + held->at);
}

/*
 * The futex that the task sleeps for, if its word says that it is a lock, and the kernel does not
 * know the owner; 0: none.
 */
static uint64_t futex_of(const struct ring_walk_task *row)
{
	const struct ring_object *object = (const void *)&row->frames[row->count];

	if (!(row->flags & RING_WALK_OBJECT) || row->flags & RING_WALK_BESIDE || object->kind != OBJECT_FUTEX)
		return 0;
	return object->context == WAIT_IN_CALL && object->flags & RING_OBJECT_LOCKED ? object->place : 0;
}

static uint32_t judge(struct walk_users *users, const struct ring_walk_task *row)
{
	struct ring_sleeper_wanted wanted = {.start = row->task.start, .switches = row->switches, .began = row->time};

	if (row->task.kernel_thread)
		return USER_MISSING_KERNEL_THREAD;
	if (row->exit_state)
		return USER_MISSING_EXITING;
	if (row->flags & WALK_TASK_ON_CPU)
		return USER_MISSING_RUNNING;
	if (!users->sleepers)
		return USER_MISSING_REFUSED;
	wanted.futex = futex_of(row);
	if (row->bound == WAIT_EXACT || row->bound == WAIT_AT_LEAST)
		wanted.began = row->time - row->wait;
	if (sleepers_want(users->sleepers, row->task.tid, &wanted) < 0)
		return USER_MISSING_NO_ROOM;
	return 0;
}

/* Returns false if there is no room. */
static bool hold(struct walk_users *users, const struct ring_walk_task *row, size_t size)
{
	struct held_row *held = &users->rows[users->count];

	if (users->count == RING_MAX_SLEEPERS || size > users->room - users->used)
		return false;
	memcpy(users->buffer + users->used, row, size);
	*held = (struct held_row){.at = (uint32_t)users->used, .missing = judge(users, row)};
	users->used += size; /* rows consist of whole words */
	users->count++;
	return true;
}

/* --- returning rows ----------------------------------------------------------------------------- */

static void give(struct walk_users *users, struct held_row *held, const struct walk_user *user)
{
	held->given = true;
	users->emit(users->context, row_of(users, held), user);
}

/* Answers arrive in the order of the rows, except for missing ones. */
static struct held_row *find_row(struct walk_users *users, uint32_t tid, uint64_t start)
{
	for (uint32_t i = 0; i < users->count; i++) {
		uint32_t number = (users->next + i) % users->count;
		struct held_row *held = &users->rows[number];
		const struct ring_walk_task *row = row_of(users, held);

		if (row->task.tid != tid || row->task.start != start || held->given || held->missing)
			continue;
		users->next = number + 1;
		return held;
	}
	return NULL;
}

static uint32_t add_snapshot(struct walk_users *users, const struct ring_task *task)
{
	uint32_t number;

	return snapshots_add(users->recording, task, 0, &users->snapshot, &number) < 0 ? 0 : number;
}

static void take_stack(struct walk_users *users, const struct ring_walk_task *row, const struct ring_sleeper *sleeper,
		       struct walk_user *user)
{
	struct snapshot *snapshot = &users->snapshot;

	snapshot->time = row->time;
	snapshot->flags = sleeper->flags;
	snapshot->address = sleeper->address;
	snapshot->words = (const uint64_t *)sleeper->stack;
	snapshot->count = (uint32_t)(sleeper->size / SNAPSHOT_WORD);
	if (!arch_registers((const uint64_t *)sleeper->registers, snapshot->registers, &snapshot->known)) {
		user->missing = USER_MISSING_FAULT;
		return;
	}
	if (users->recording->config->snapshots)
		user->snapshot = add_snapshot(users, &row->task);
	user->count = frame_chain(snapshot, users->frames, RING_MAX_FRAMES, &user->cut);
	if (!user->snapshot)
		user->top = frame_top(snapshot, (struct ring_top *)(void *)&users->frames[user->count]);
	user->frames = users->frames;
	user->owner = sleeper->owner.tid ? &sleeper->owner : NULL;
}

static void take(void *context, const struct ring_sleeper *sleeper)
{
	struct walk_users *users = context;
	struct held_row *held = find_row(users, sleeper->tid, sleeper->start);
	struct walk_user user = {0};

	if (!held)
		return;
	if (sleeper->outcome == USER_MISSING_NONE)
		take_stack(users, row_of(users, held), sleeper, &user);
	else
		user.missing = sleeper->outcome <= USER_MISSING_SERVED ? sleeper->outcome : USER_MISSING_FAULT;
	give(users, held, &user);
}

static uint32_t reason_without_answer(struct walk_users *users, const struct held_row *held)
{
	if (held->missing)
		return held->missing;
	return sleepers_forget(users->sleepers, row_of(users, held)->task.tid) == SLEEPER_STUCK ? USER_MISSING_BUSY :
												  USER_MISSING_EXITING;
}

static void give_rest(struct walk_users *users)
{
	for (uint32_t i = 0; i < users->count; i++) {
		struct held_row *held = &users->rows[i];
		struct walk_user user = {0};

		if (held->given) {
			(void)sleepers_forget(users->sleepers, row_of(users, held)->task.tid);
			continue;
		}
		user.missing = reason_without_answer(users, held);
		give(users, held, &user);
	}
	users->count = 0;
	users->used = 0;
}

void walk_users_begin(struct walk_users *users)
{
	users->next = 0;
	if (users->sleepers)
		sleepers_begin(users->sleepers);
}

bool walk_users_step(struct walk_users *users, int timeout_ms, walk_users_emit *emit, void *context)
{
	users->emit = emit;
	users->context = context;
	if (users->sleepers && !sleepers_step(users->sleepers, timeout_ms, take, users))
		return false;
	give_rest(users);
	return true;
}

void walk_users_finish(struct walk_users *users, unsigned int budget_ms, walk_users_emit *emit, void *context)
{
	uint64_t end = clocks_now() + budget_ms * MILLISECOND;

	while (clocks_now() < end)
		if (walk_users_step(users, STEP_MS, emit, context))
			return;
	if (users->sleepers)
		sleepers_give_up(users->sleepers);
	(void)walk_users_step(users, 0, emit, context);
}

void walk_users_hold(struct walk_users *users, const struct ring_walk_task *row, size_t size,
		     walk_users_emit *emit, void *context)
{
	if (hold(users, row, size))
		return;
	walk_users_begin(users);
	walk_users_finish(users, USERS_ROUND, emit, context);
	(void)hold(users, row, size);
}
