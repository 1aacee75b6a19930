/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/source/walk.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "common/time_units.h"
#include "format/event_log.h"
#include "record/host/clocks.h"
#include "record/place/hits.h"
#include "record/plan/deadlines.h"
#include "record/plan/filter.h"
#include "record/plan/record_options.h"
#include "record/plan/recording.h"
#include "record/probe/probe.h"
#include "record/probe/sched_clock.h"
#include "record/source/look.h"
#include "record/source/ring_stacks.h"
#include "record/source/ring_task.h"
#include "record/source/wait_objects.h"
#include "record/source/walk_users.h"

enum { BUFFER_BYTES = 256 << 10 };


int walk_init(struct walk *walk)
{
	walk->buffer = malloc(BUFFER_BYTES);
	return walk->buffer ? 0 : -ENOMEM;
}

void walk_deinit(struct walk *walk)
{
	free(walk->buffer);
	walk->buffer = NULL;
}

static bool is_wanted(struct walk *walk, const struct ring_walk_task *raw)
{
	char comm[RING_COMM_SIZE + 1] = "";

	memcpy(comm, raw->task.comm, RING_COMM_SIZE);
	if (filter_wants(walk->filter, comm))
		return true;
	walk->unwanted++;
	return false;
}

/* --- what comes after a row's frames --- */

struct row_parts {
	const struct ring_object *object; /* NULL: none; likewise the others */
	const struct ring_beside *beside;
	const struct ring_name *name;
	size_t length; /* of everything except the name */
	size_t size;
};

static const void *take_part(const struct ring_walk_task *raw, uint32_t flag, size_t size, size_t *at)
{
	const void *part = (const char *)raw + *at;

	if (!(raw->flags & flag))
		return NULL;
	*at += size;
	return part;
}

static struct row_parts parts_of(const struct ring_walk_task *raw)
{
	size_t at = sizeof(*raw) + raw->count * sizeof(uint64_t);
	struct row_parts parts = {0};

	parts.object = take_part(raw, RING_WALK_OBJECT, sizeof(*parts.object), &at);
	parts.beside = take_part(raw, RING_WALK_BESIDE, sizeof(*parts.beside), &at);
	parts.length = at;
	parts.name = take_part(raw, RING_WALK_NAME, sizeof(*parts.name), &at);
	parts.size = at;
	return parts;
}

static struct event_wait take_object(struct walk *walk, const struct ring_walk_task *raw,
				     const struct row_parts *parts)
{
	struct event_wait wait = {.time = raw->time};

	if (walk->objects && parts->object)
		wait_objects_take(walk->objects, parts->object, &wait);
	if (walk->objects && parts->beside)
		wait_objects_beside(walk->objects, parts->beside, &wait);
	return wait;
}

/* Called as soon as a row arrives: it may be held until others have brought many more names. */
static void note_object(struct walk *walk, const struct ring_walk_task *raw, const struct row_parts *parts)
{
	if (walk->objects && parts->name)
		wait_objects_name(walk->objects, parts->name);
	(void)take_object(walk, raw, parts);
}

static uint64_t object_flags(uint64_t flags)
{
	return (flags & WAIT_FOR_READING ? WALK_TASK_FOR_READING : 0) |
	       (flags & WAIT_OWNER_READS ? WALK_TASK_OWNER_READS : 0);
}

/* --- rows --- */

static void encode_row(void *context, const struct ring_walk_task *raw, const struct walk_user *user)
{
	struct walk *walk = context;
	struct recording *recording = walk->recording;
	const struct row_parts parts = parts_of(raw);
	const struct event_wait wait = take_object(walk, raw, &parts);
	const struct ring_task *holder = wait.owner ? &parts.beside->owner : user->owner;
	struct event_walk_task row = {
		.time = raw->time, .walk = walk->number, .cpu = raw->cpu,
		.state = raw->state, .exit_state = raw->exit_state,
		.wait = raw->wait, .bound = raw->bound,
		.flags = (raw->flags & RING_WALK_TRACE_FLAGS) | (user->cut ? WALK_TASK_USER_TRUNCATED : 0) |
			 object_flags(wait.flags),
		.missing = user->missing, .snapshot = user->snapshot,
		.call = wait.call, .object = wait.object, .asked = wait.asked, .owner = holder ? 1 : 0,
	};
	const struct event_task task = ring_task_event(recording, &raw->task);
	const struct event_task owner = holder ? ring_task_event(recording, holder) : (struct event_task){0};
	const struct kernel_chain kernel =
		kernel_chains_take(recording->kernel_chains, (const uint64_t *)raw->frames, raw->count);
	struct event_stacks stacks = {
		.kernel = kernel.frames,
		.kernel_count = raw->count,
		.kernel_callers = kernel.callers,
	};
	int r;

	ring_stacks_user(recording, &raw->task,
			 &(struct ring_user){user->frames, user->count, user->top, SOURCE_ID_TASKS, user->snapshot},
			 &stacks);
	r = event_log_add_walk_task(recording->log, &row, &task, &owner, &stacks);
	if (r == -EINVAL)
		walk->refused++;
	else if (recording_check(recording, r) >= 0)
		walk->rows++;
	ring_stacks_mark(recording, &raw->task, &stacks, false);
}

/* --- the walk ---------------------------------------------------------------------------------------- */

/* A parent in vfork() is in D by design. */
static void note_worst(struct walk *walk, const struct ring_walk_task *raw, const struct row_parts *parts)
{
	if (parts->object && parts->object->kind == OBJECT_CHILD)
		return;
	if (!(raw->state & TASK_UNINTERRUPTIBLE) || (raw->state & TASK_NOLOAD) || raw->wait <= walk->worst.wait)
		return;
	walk->worst.wait = raw->wait;
	walk->worst.tgid = raw->task.tgid;
	walk->worst.tid = raw->task.tid;
	memcpy(walk->worst.comm, raw->task.comm, sizeof(walk->worst.comm));
	walk->worst.comm[sizeof(walk->worst.comm) - 1] = '\0';
}

static void take_row(struct walk *walk, const struct ring_walk_task *raw, const struct row_parts *parts)
{
	static const struct walk_user none;

	note_object(walk, raw, parts);
	if (!is_wanted(walk, raw))
		return;
	note_worst(walk, raw, parts);
	if (walk->users)
		walk_users_hold(walk->users, raw, parts->length, encode_row, walk);
	else
		encode_row(walk, raw, &none);
}

/* Processes the whole rows in the buffer; the rest of the last one moves to the front. Returns its length. */
static size_t take_rows(struct walk *walk, size_t length)
{
	size_t at = 0;

	while (walk->recording->stop != RECORDING_FAILED && length - at >= sizeof(struct ring_walk_task)) {
		const struct ring_walk_task *raw = (const void *)(walk->buffer + at);
		struct row_parts parts;

		if (raw->count > RING_MAX_FRAMES)
			break;
		parts = parts_of(raw);
		if (length - at < parts.size)
			break;
		take_row(walk, raw, &parts);
		at += parts.size;
	}
	memmove(walk->buffer, walk->buffer + at, length - at);
	return length - at;
}

static int read_rows(struct walk *walk, int fd)
{
	struct look look = {.drain = walk->drain};
	size_t held = 0;

	while (walk->recording->stop != RECORDING_FAILED) {
		ssize_t got = look_read(&look, fd, walk->buffer + held, BUFFER_BYTES - held);

		if (got < 0)
			return (int)got;
		if (!got)
			return held ? -EBADMSG : 0;
		held = take_rows(walk, held + (size_t)got);
	}
	return 0;
}

static void tell(struct walk *walk, uint64_t flags)
{
	struct event event = {
		.kind = EVENT_WALK,
		.walk = {
			.time = clocks_now(),
			.number = walk->number,
			.source = SOURCE_ID_TASKS,
			.flags = flags,
			.seen = walk->totals.seen,
			.kept = walk->totals.kept,
		},
	};

	(void)recording_check(walk->recording, event_log_add(walk->recording->log, &event));
}

static enum ring_walk_filter walk_filter(const struct record_walk *config)
{
	if (config->all)
		return RING_WALK_ALL;
	return config->running ? RING_WALK_RUNNING : RING_WALK_DEFAULT;
}

static void end_walk(struct walk *walk)
{
	tell(walk, WALK_END);
}

void walk_step(struct walk *walk, int timeout_ms)
{
	if (!walk->pending)
		return;
	walk->pending = !walk_users_step(walk->users, timeout_ms, encode_row, walk);
	if (!walk->pending)
		end_walk(walk);
}

void walk_finish(struct walk *walk, unsigned int budget_ms)
{
	if (!walk->pending)
		return;
	walk_users_finish(walk->users, budget_ms, encode_row, walk);
	walk->pending = false;
	end_walk(walk);
}

static void begin_walk(struct walk *walk, struct ring_walk *totals)
{
	walk->number++;
	walk->unwanted = 0;
	walk->totals = *totals;
	memset(&walk->worst, 0, sizeof(walk->worst));
	tell(walk, 0);
}

static void settle_walk(struct walk *walk, const struct ring_walk *totals)
{
	walk->totals = *totals;
	walk->totals.seen = totals->kept + totals->own + totals->filtered;
	walk->totals.kept -= walk->unwanted;
	walk->kept = walk->totals.kept;
	if (!walk->users) {
		end_walk(walk);
		return;
	}
	walk_users_begin(walk->users);
	walk->pending = true;
}

int walk_run(struct walk *walk, const struct record_walk *config)
{
	_cleanup_close_ int fd = -1;
	struct ring_walk *totals = NULL;
	uint64_t offset;
	int r;

	walk_finish(walk, USERS_ROUND);
	r = probe_walk_open(walk->probe, &totals, &fd);
	if (r >= 0)
		r = sched_clock_offset(walk->probe, &offset);
	if (r < 0)
		return log_error(-r, "cannot walk the tasks: %s", strerror(-r));
	*totals = (struct ring_walk){
		.clock_offset = offset,
		.least_wait = (uint64_t)config->waiting,
		.filter = walk_filter(config),
		.until = clocks_now() + LOOK_WALK * MILLISECOND,
	};
	begin_walk(walk, totals);
	r = read_rows(walk, fd);
	look_count(walk->recording, totals->left_out, "the state");
	settle_walk(walk, totals);
	return r < 0 ? log_error(-r, "the walk of the tasks ended early: %s", strerror(-r)) : 0;
}

/* --- the source: what it is asked for, and when, is the session's --- */

static uint32_t count(const struct record_config *config)
{
	return config->walk.wanted;
}

static int open_source(void *source, const struct source_parts *parts)
{
	struct walk *walk = source;

	*walk = (struct walk){.recording = parts->recording, .probe = parts->probe, .filter = parts->filter,
			      .drain = parts->drain, .users = parts->users, .objects = parts->objects};
	return walk_init(walk);
}

static void close_source(void *source)
{
	walk_deinit(source);
}

static void describe(const void *source)
{
	const struct walk *walk = source;
	struct recording *recording = walk->recording;
	const struct event event = {
		.kind = EVENT_SOURCE,
		.source = {
			.id = SOURCE_ID_TASKS,
			.kind = SOURCE_TASKS,
			.weight = WEIGHT_COUNT,
			.name = {"tasks", 5},
			.start = recording->start,
			.stop = walk->stop ? walk->stop : recording->start,
			.flags = ring_stacks_source_flags(recording->config),
		},
	};

	(void)recording_check(recording, event_log_add(recording->log, &event));
}

static uint64_t recorded(const void *source)
{
	return ((const struct walk *)source)->rows;
}

const struct source_ops walk_ops = {
	.programs = PROBE_TASKS,
	.event = "task", .view = "--tasks", .count = count, .open = open_source, .close = close_source,
	.describe = describe, .recorded = recorded,
};
