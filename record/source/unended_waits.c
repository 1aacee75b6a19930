/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/source/unended_waits.h"

#include <errno.h>
#include <linux/types.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/ring.h"
#include "common/cleanup.h"
#include "common/hash_map.h"
#include "format/event_log.h"
#include "record/host/clocks.h"
#include "record/place/hits.h"
#include "record/plan/deadlines.h"
#include "record/plan/record_options.h"
#include "record/plan/recording.h"
#include "record/probe/probe.h"
#include "record/source/look.h"
#include "record/source/ring_stacks.h"
#include "record/source/ring_task.h"
#include "record/source/waits.h"
#include "record/source/walk_users.h"

static void unended_waits_tell(struct unended_waits *waits, const struct ring_walk_task *row, const struct walk_user *user)
{
	struct recording *recording = waits->recording;
	const struct event_task task = ring_task_event(recording, &row->task);
	struct event_user_stack record = {
		.cpu = row->cpu,
		.source = waits->source,
		.flags = user->cut ? SAMPLE_USER_TRUNCATED : 0,
		.missing = user->missing,
		.snapshot = user->snapshot,
		.time = row->time,
		.since = row->wait,
	};
	struct event_stacks stacks = {0};
	int r;

	ring_stacks_user(recording, &row->task,
			 &(struct ring_user){user->frames, user->count, user->top, waits->source, user->snapshot},
			 &stacks);
	r = event_log_add_user_stack(recording->log, &record, &task, &stacks);
	waits->refused += r == -EINVAL;
	if (r != -EINVAL && recording_check(recording, r) >= 0)
		ring_stacks_mark(recording, &row->task, &stacks, record.callers_known);
}

static void tell(void *context, const struct ring_walk_task *row, const struct walk_user *user)
{
	unended_waits_tell(context, row, user);
}

void unended_waits_begin(struct unended_waits *waits)
{
	if (!waits->users)
		return;
	walk_users_begin(waits->users);
	waits->pending = true;
}

void unended_waits_step(struct unended_waits *waits, int timeout_ms)
{
	if (waits->pending)
		waits->pending = !walk_users_step(waits->users, timeout_ms, tell, waits);
}

void unended_waits_finish(struct unended_waits *waits, unsigned int budget_ms)
{
	if (waits->pending)
		walk_users_finish(waits->users, budget_ms, tell, waits);
	waits->pending = false;
}

/* Returns it as a row of a walk: asleep in the wait, and in this system call since `since`. */
static struct ring_walk_task unended_waits_row(const struct ring_wait *wait, uint64_t switches)
{
	uint64_t now = clocks_now(), since = wait->out_key ? wait->out_key : wait->head.time;

	if (now < wait->head.time)
		now = wait->head.time;
	return (struct ring_walk_task){
		.time = now,
		.wait = since < now ? now - since : 0,
		.cpu = wait->out_cpu,
		.switches = switches,
		.task = wait->task,
	};
}

void unended_waits_add(struct unended_waits *waits, const struct ring_wait *wait, uint64_t switches)
{
	const struct ring_walk_task row = unended_waits_row(wait, switches);

	if (waits->users)
		walk_users_hold(waits->users, &row, sizeof(row), tell, waits);
}

/* --- for a dump: waits that go on --- */

enum { BYTES = 8 << 20, STACK_BYTES = 4 << 20, TASKS = 1 << 15, ENDED = UINT32_MAX };

/* A user stack that was copied; its frames follow. */
struct copied {
	struct ring_walk_task row;
	struct walk_user user;
};

struct open_waits {
	struct waits *waits;
	size_t room, stacks_room;
	char *rows; /* as the programs write them: waits, each after its names */
	size_t used;
	char *stacks; /* struct copied, each with its frames */
	size_t stacks_used;
	struct hash_map places; /* by tid: where its wait is in `rows`; ENDED: the wait has ended */
};

uint64_t open_waits_memory(void)
{
	return BYTES + STACK_BYTES + TASKS * 64;
}

int open_waits_create(struct waits *waits, struct open_waits **ret_open)
{
	struct open_waits *open = calloc(1, sizeof(*open));
	int r;

	if (!open)
		return -ENOMEM;
	open->waits = waits;
	open->room = (size_t)BYTES >> waits->recording->halvings;
	open->stacks_room = (size_t)STACK_BYTES >> waits->recording->halvings;
	open->rows = malloc(open->room);
	open->stacks = malloc(open->stacks_room);
	r = open->rows && open->stacks ? hash_map_init_fixed(&open->places, TASKS, TASKS * sizeof(uint32_t)) : -ENOMEM;
	if (r < 0) {
		open_waits_destroy(open);
		return r;
	}
	*ret_open = open;
	return 0;
}

void open_waits_destroy(struct open_waits *open)
{
	if (!open)
		return;
	hash_map_deinit(&open->places);
	free(open->rows);
	free(open->stacks);
	free(open);
}

static const struct ring_head *row_at(const struct open_waits *open, size_t at)
{
	return (const void *)(open->rows + at);
}

/* Those that have become whole since `at`. Returns where they end. */
static size_t note_rows(struct open_waits *open, size_t at)
{
	size_t length;

	while ((length = waits_record_length(open->rows + at, open->used - at))) {
		const struct ring_wait *wait = (const void *)row_at(open, at);

		if (wait->head.kind == RING_WAIT)
			(void)hash_map_add(&open->places, &wait->task.tid, sizeof(wait->task.tid), at, NULL);
		at += length;
	}
	return at;
}

/* Waits that end meanwhile are removed as the rings are drained, so each row must be known by then. */
static int read_rows(struct open_waits *open, int fd)
{
	struct look look = {.drain = open->waits->drain};
	size_t whole = 0;
	ssize_t got = -ENOSPC;

	while (open->used < open->room) {
		got = look_read(&look, fd, open->rows + open->used, open->room - open->used);
		if (got <= 0)
			break;
		open->used += (size_t)got;
		whole = note_rows(open, whole);
		got = -ENOSPC;
	}
	open->used = whole; /* the rest is not a whole row */
	return (int)got;
}

/* --- their user stacks --- */

static void keep_stack(void *context, const struct ring_walk_task *row, const struct walk_user *user)
{
	struct open_waits *open = context;
	struct copied *copied = (void *)(open->stacks + open->stacks_used);
	size_t frames = user->count * sizeof(*user->frames);

	if (sizeof(*copied) + frames > open->stacks_room - open->stacks_used)
		return;
	copied->row = *row;
	copied->user = *user;
	if (frames)
		memcpy(copied + 1, user->frames, frames);
	open->stacks_used += sizeof(*copied) + frames;
}

/* Copies as many as one round takes. */
static void copy_stacks(struct open_waits *open, struct walk_users *users)
{
	uint32_t held = 0;
	size_t length;

	open->stacks_used = 0;
	for (size_t at = 0; at < open->used && held < RING_MAX_SLEEPERS; at += length) {
		const struct ring_wait *wait = (const void *)row_at(open, at);
		struct ring_walk_task row;

		length = waits_record_length(open->rows + at, open->used - at);
		if (wait->head.kind != RING_WAIT || !(wait->flags & RING_WAIT_USER_LATER))
			continue;
		row = unended_waits_row(wait, waits_switches(wait));
		walk_users_hold(users, &row, sizeof(row), keep_stack, open);
		held++;
	}
	walk_users_begin(users);
	walk_users_finish(users, USERS_FLIGHT, keep_stack, open);
}

/* --- the list --- */

int open_waits_look(struct open_waits *open)
{
	_cleanup_close_ int fd = -1;
	int r;

	hash_map_clear(&open->places);
	open->used = 0;
	fd = waits_look_open(open->waits, RING_LOOK_OPEN);
	r = fd < 0 ? fd : read_rows(open, fd);
	look_count(open->waits->recording, probe_wait_look(open->waits->probe)->left_out, "what they wait for");
	if (open->waits->unended.users)
		copy_stacks(open, open->waits->unended.users);
	return r;
}

/* A thread has one wait at a time: if any wait ends after the look, the one that was found then has ended. */
void open_waits_end(struct open_waits *open, uint32_t tid, uint64_t time)
{
	uint64_t *place = open->used ? hash_map_find(&open->places, &tid, sizeof(tid)) : NULL;
	/* The wait before that one ended at least this long before the look: times by two clocks differ by less. */
	uint64_t slack = (uint64_t)open->waits->recording->config->offcpu.least / 2;

	if (place && *place != ENDED && time + slack >= row_at(open, *place)->time)
		*place = ENDED;
}

static bool goes_on(const struct open_waits *open, const struct ring_wait *wait, size_t at)
{
	const uint64_t *place = hash_map_find(&open->places, &wait->task.tid, sizeof(wait->task.tid));

	return place && *place == at;
}

static void tell_stacks(struct open_waits *open)
{
	for (size_t at = 0; at < open->stacks_used;) {
		struct copied *copied = (void *)(open->stacks + at);
		const uint64_t *place = hash_map_find(&open->places, &copied->row.task.tid, sizeof(uint32_t));

		copied->user.frames = (const void *)(copied + 1);
		if (place && *place != ENDED)
			unended_waits_tell(&open->waits->unended, &copied->row, &copied->user);
		at += sizeof(*copied) + copied->user.count * sizeof(*copied->user.frames);
	}
	open->stacks_used = 0;
}

void open_waits_tell(struct open_waits *open)
{
	size_t at = 0, length;

	open->waits->unended.users = NULL; /* their stacks have been copied */
	for (; (length = waits_record_length(open->rows + at, open->used - at)); at += length) {
		const struct ring_head *head = row_at(open, at);

		if (head->kind != RING_WAIT || goes_on(open, (const void *)head, at))
			waits_take(open->waits, head, length);
	}
	tell_stacks(open);
	open->used = 0;
}
