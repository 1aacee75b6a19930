/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/walk.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "format/event_log.h"
#include "record/clocks.h"
#include "record/filter.h"
#include "record/kernel_map.h"
#include "record/probe.h"
#include "record/record_options.h"
#include "record/recording.h"
#include "record/sched_clock.h"

enum {
	BUFFER_BYTES = 256 << 10,
	TASK_UNINTERRUPTIBLE = 2,
	TASK_NOLOAD = 0x400,
};

static_assert((int)RING_WAIT_EXACT == WAIT_EXACT && (int)RING_WAIT_AT_LEAST == WAIT_AT_LEAST &&
		      (int)RING_WAIT_AT_MOST == WAIT_AT_MOST && (int)RING_WAIT_NONE == WAIT_NONE,
	      "the programs' bounds are the format's");
static_assert((int)RING_WALK_ON_CPU == WALK_TASK_ON_CPU && (int)RING_WALK_IOWAIT == WALK_TASK_IOWAIT &&
		      (int)RING_WALK_QUEUED == WALK_TASK_QUEUED && (int)RING_WALK_FROZEN == WALK_TASK_FROZEN &&
		      (int)RING_WALK_STOPPED == WALK_TASK_STOPPED && (int)RING_WALK_TRACED == WALK_TASK_TRACED &&
		      (int)RING_WALK_TRUNCATED == WALK_TASK_KERNEL_TRUNCATED,
	      "the programs' flags are the format's");

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

static void note_worst(struct walk *walk, const struct ring_walk_task *raw)
{
	if (!(raw->state & TASK_UNINTERRUPTIBLE) || (raw->state & TASK_NOLOAD) || raw->wait <= walk->worst.wait)
		return;
	walk->worst.wait = raw->wait;
	walk->worst.tid = raw->task.tid;
	memcpy(walk->worst.comm, raw->task.comm, sizeof(walk->worst.comm));
	walk->worst.comm[sizeof(walk->worst.comm) - 1] = '\0';
}

static void encode_row(struct walk *walk, const struct ring_walk_task *raw)
{
	struct recording *recording = walk->recording;
	struct event_walk_task row = {
		.time = raw->time,
		.walk = walk->number,
		.state = raw->state,
		.exit_state = raw->exit_state,
		.wait = raw->wait,
		.bound = raw->bound,
		.cpu = raw->cpu,
		.flags = raw->flags,
	};
	struct event_task task = {
		.tgid = raw->task.tgid,
		.tid = raw->task.tid,
		.start = raw->task.start,
		.flags = raw->task.kernel_thread ? TASK_KERNEL_THREAD : 0,
	};
	struct event_stacks stacks = {.kernel = walk->frames, .kernel_count = raw->count};
	int r;

	memcpy(task.comm, raw->task.comm, sizeof(task.comm));
	task.comm[sizeof(task.comm) - 1] = '\0';
	if (!filter_wants(walk->filter, task.comm)) {
		walk->unwanted++;
		return;
	}
	for (uint32_t i = 0; i < raw->count; i++)
		walk->frames[i] = kernel_map_normalize(recording->kernel_map, raw->frames[i]);
	r = event_log_add_walk_task(recording->log, &row, &task, &stacks);
	if (r == -EINVAL)
		walk->refused++;
	else if (recording_check(recording, r) >= 0)
		walk->rows++;
	note_worst(walk, raw);
}

/* Encodes the whole rows in the buffer; what is left of the last one moves to the front. Returns its length. */
static size_t encode_rows(struct walk *walk, size_t length)
{
	size_t at = 0;

	while (walk->recording->stop != RECORDING_FAILED && length - at >= sizeof(struct ring_walk_task)) {
		const struct ring_walk_task *raw = (const void *)(walk->buffer + at);
		size_t size = sizeof(*raw) + raw->count * sizeof(uint64_t);

		if (raw->count > RING_MAX_FRAMES || length - at < size)
			break;
		encode_row(walk, raw);
		at += size;
	}
	memmove(walk->buffer, walk->buffer + at, length - at);
	return length - at;
}

static int read_rows(struct walk *walk, int fd)
{
	size_t held = 0;

	while (walk->recording->stop != RECORDING_FAILED) {
		ssize_t got = read(fd, walk->buffer + held, BUFFER_BYTES - held);

		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			return held ? -EBADMSG : 0;
		held = encode_rows(walk, held + (size_t)got);
	}
	return 0;
}

static void tell(struct walk *walk, uint64_t flags, const struct ring_walk *totals)
{
	struct event event = {
		.kind = EVENT_WALK,
		.walk = {
			.time = clocks_now(),
			.number = walk->number,
			.source = walk->source,
			.flags = flags,
			.seen = totals->seen,
			.kept = totals->kept,
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

int walk_run(struct walk *walk, const struct record_walk *config)
{
	_cleanup_close_ int fd = -1;
	struct ring_walk *totals = NULL;
	uint64_t offset;
	int r = probe_walk_open(walk->probe, &totals, &fd);

	if (r >= 0)
		r = sched_clock_offset(walk->probe, &offset);
	if (r < 0)
		return log_error(-r, "cannot walk the tasks: %s", strerror(-r));
	*totals = (struct ring_walk){
		.clock_offset = offset,
		.least_wait = (uint64_t)config->waiting * 1000000000,
		.filter = walk_filter(config),
	};
	walk->number++;
	walk->unwanted = 0;
	memset(&walk->worst, 0, sizeof(walk->worst));
	tell(walk, 0, totals);
	r = read_rows(walk, fd);
	totals->seen = totals->kept + totals->own + totals->filtered;
	totals->kept -= walk->unwanted;
	walk->kept = totals->kept;
	tell(walk, WALK_END, totals);
	return r < 0 ? log_error(-r, "the walk of the tasks broke off: %s", strerror(-r)) : 0;
}
