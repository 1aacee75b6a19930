/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/source/walk_users.h"

#include <assert.h>
#include <errno.h>
#include <linux/types.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/ring.h"
#include "common/cleanup.h"
#include "common/time_units.h"
#include "format/event_log.h"
#include "format/snapshot_code.h"
#include "format/stack_mark.h"
#include "record/host/clocks.h"
#include "record/place/hits.h"
#include "record/plan/deadlines.h"
#include "record/plan/recording.h"
#include "record/probe/probe.h"
#include "record/source/arch_registers.h"
#include "record/source/held_stacks.h"
#include "record/source/sleepers.h"

/* --- frame pointers within copied stack memory --- */

/*
 * A frame is two words, on x86-64 and aarch64 alike: the caller's frame pointer, then the return
 * address. The frame pointers ascend.
 */
uint32_t frame_chain(const struct snapshot *snapshot, uint64_t *frames, uint32_t room, bool *ret_cut)
{
	uint64_t frame, least = snapshot->address;
	const bool goes_on = snapshot->flags & (SNAPSHOT_CUT | SNAPSHOT_UNMAPPED);
	uint32_t count = 0;

	*ret_cut = false;
	if (!room)
		return 0;
	arch_frame(snapshot->registers, &frames[count++], &frame);
	while (frame >= least && !(frame % SNAPSHOT_WORD)) {
		uint64_t word = (frame - snapshot->address) / SNAPSHOT_WORD;

		*ret_cut = count == room || (word + 1 >= snapshot->count && goes_on);
		if (count == room || snapshot->count < 2 || word > snapshot->count - 2)
			break;
		frames[count++] = arch_code_address(snapshot->words[word + 1]);
		least = frame + 2 * SNAPSHOT_WORD;
		frame = snapshot->words[word];
	}
	return count;
}

/* Writes what the programs write of a running task's stack. Returns its words, the head included; 0: nothing. */
static uint32_t frame_top(const struct snapshot *snapshot, struct ring_top *ret_top)
{
	uint64_t instruction, frame, words = snapshot->count < RING_TOP_WORDS ? snapshot->count : RING_TOP_WORDS;

	arch_frame(snapshot->registers, &instruction, &frame);
	if (frame >= snapshot->address && (frame - snapshot->address) / SNAPSHOT_WORD < words)
		words = (frame - snapshot->address) / SNAPSHOT_WORD;
	ret_top->stack = snapshot->address;
	ret_top->frame = frame;
	ret_top->link = arch_link(snapshot->registers);
	if (!words && !ret_top->link)
		return 0;
	memcpy(ret_top->words, snapshot->words, words * sizeof(*ret_top->words));
	return (uint32_t)words + RING_TOP_HEAD;
}

/* --- words at the top of a stack --- */

static_assert((int)RING_TOP_WORDS == STACK_TOP_WORDS, "the marks have room for all words");

/* Writes a word that is an address of code, and its mark. */
static uint64_t *write_word(const struct recording *recording, uint32_t tgid, uint64_t owner, uint64_t word,
			    enum stack_mark mark, uint64_t *at)
{
	word = arch_code_address(word);
	if (!hits_is_code(recording->hits, tgid, owner, word))
		return at;
	*at++ = word;
	*at++ = stack_mark_address(mark);
	return at;
}

/* The distance of the frame pointer in words, the digit of the greatest weight first; nothing if it is elsewhere. */
static uint64_t *write_frame(uint64_t distance, uint64_t *at)
{
	const uint64_t square = STACK_TOP_WORDS * STACK_TOP_WORDS;
	const bool more = distance >= square;

	if (distance >= square * STACK_TOP_WORDS)
		return at;
	if (more)
		*at++ = stack_mark_address((enum stack_mark)(MARK_FRAME + distance / square));
	distance %= square;
	if (more || distance >= STACK_TOP_WORDS)
		*at++ = stack_mark_address((enum stack_mark)(MARK_FRAME + distance / STACK_TOP_WORDS));
	*at++ = stack_mark_address((enum stack_mark)(MARK_FRAME + distance % STACK_TOP_WORDS));
	return at;
}

void stack_words_add(struct recording *recording, uint32_t tgid, const struct ring_top *top, uint32_t words,
		     struct event_stacks *stacks)
{
	const uint32_t count = words - RING_TOP_HEAD, callers = stacks->user_count - 1;
	uint64_t *path = recording->user_path, *at = path;

	if (stacks->user_count + 2 * (words + 2) > RWK_MAX_FRAMES)
		return;
	*at++ = stacks->user[0];
	if (top->link)
		at = write_word(recording, tgid, stacks->user_owner, top->link, MARK_LINK, at);
	for (uint32_t i = 0; i < count; i++)
		if (top->words[i] && top->words[i] == top->frame)
			*at++ = stack_mark_address((enum stack_mark)(MARK_SAVED + i));
		else
			at = write_word(recording, tgid, stacks->user_owner, top->words[i],
					(enum stack_mark)(MARK_WORD + i), at);
	if (at == path + 1 && !top->link)
		return;
	at = write_frame((top->frame - top->stack) / sizeof(*at), at);
	if (at == path + 1)
		return;
	memcpy(at, stacks->user + 1, callers * sizeof(*at));
	stacks->user_words = (uint32_t)(at - path) - 1;
	stacks->user = path;
	stacks->user_count += stacks->user_words;
}

/* --- the rows that wait for their stacks --- */

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

/* --- incoming rows --- */

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

/* --- returning rows --- */

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
