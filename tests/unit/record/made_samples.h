/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Records of a ring as the programs write them (bpf/ring.h), by hand. */
#pragma once

#include <linux/types.h>
#include <stdio.h>

#include "bpf/ring.h"
#include "record/plan/filter.h"

enum { MADE_FRAMES = 8 };

struct made_sample_record {
	struct ring_sample raw;
	uint64_t frames[MADE_FRAMES];
};

static inline struct ring_task made_ring_task(uint32_t tid, const char *comm)
{
	struct ring_task task = {.start = 1000 + tid, .tgid = tid, .tid = tid};

	(void)snprintf(task.comm, sizeof(task.comm), "%s", comm);
	return task;
}

static inline struct made_sample_record made_sample_of(uint64_t time, uint32_t cpu, uint32_t tid, const char *comm)
{
	return (struct made_sample_record){.raw = {.head = {.time = time, .cpu = cpu, .kind = RING_SAMPLE, .source = 1},
						   .task = made_ring_task(tid, comm)}};
}

/* Bytes up to the last frame. */
static inline size_t made_sample_bytes(const struct made_sample_record *record)
{
	return sizeof(record->raw) + sizeof(uint64_t) * ((size_t)record->raw.kernel_count + record->raw.user_count);
}

/* A -c that the recorder applies itself, as it is more than names; filter_deinit() when done. */
static inline int made_late_filter(struct filter *filter, const char *pattern)
{
	const struct record_who who = {.command = pattern};
	int r = filter_init(filter, &who, false);

	filter->tgids = filter->tids = NULL; /* for the programs */
	return r;
}

/* --- waits: words after a fixed part, in their order --- */

enum { MADE_WORDS = 64 };

struct made_wait_record {
	struct ring_wait raw;
	uint64_t words[MADE_WORDS]; /* [waker] · [object · [what is beside it]] · frames · [switches] */
	size_t used;
};

struct made_user_record {
	struct ring_user_stack raw;
	uint64_t frames[MADE_FRAMES];
};

/* A thread that was asleep from `out` to `time`. */
static inline struct made_wait_record made_wait_of(uint64_t out, uint64_t time, uint32_t cpu,
						   uint32_t tid, const char *comm)
{
	return (struct made_wait_record){.raw = {.head = {.time = time, .cpu = cpu, .kind = RING_WAIT, .source = 2},
						 .out = out,
						 .out_key = out,
						 .state = 1,
						 .wait_class = WAIT_BLOCKED,
						 .out_cpu = (uint16_t)cpu,
						 .task = made_ring_task(tid, comm)}};
}

static inline void made_wait_words(struct made_wait_record *record, const void *words, size_t bytes)
{
	memcpy(record->words + record->used, words, bytes);
	record->used += bytes / sizeof(uint64_t);
}

/* Before frames. */
static inline void made_wait_waker(struct made_wait_record *record, uint64_t time, uint64_t context,
				   uint32_t tid, const char *comm)
{
	const struct ring_waker waker = {.time = time, .context = context, .task = made_ring_task(tid, comm)};

	record->raw.flags |= RING_WAIT_HAS_WAKER;
	made_wait_words(record, &waker, sizeof(waker));
}

/* Likewise, after the waker. */
static inline void made_wait_object(struct made_wait_record *record, const struct ring_object *object,
				    const struct ring_beside *beside)
{
	record->raw.flags |= RING_WAIT_HAS_OBJECT;
	made_wait_words(record, object, sizeof(*object));
	if (object->beside)
		made_wait_words(record, beside, sizeof(*beside));
}

/* The last of all. */
static inline void made_wait_not_ended(struct made_wait_record *record, uint64_t switches)
{
	record->raw.flags |= RING_WAIT_NOT_ENDED;
	made_wait_words(record, &switches, sizeof(switches));
}

static inline size_t made_wait_bytes(const struct made_wait_record *record)
{
	return sizeof(record->raw) + record->used * sizeof(uint64_t);
}

/* A stack of one frame of the process; since 0: taken when it went to sleep, at `time`. */
static inline struct made_user_record made_user_of(uint64_t time, uint64_t since, uint32_t cpu,
						   uint32_t tid, const char *comm, uint64_t frame)
{
	return (struct made_user_record){.raw = {.head = {.time = time, .cpu = cpu,
							  .kind = RING_USER_STACK, .source = 2},
						 .since = since,
						 .count = 1,
						 .task = made_ring_task(tid, comm)},
					 .frames = {frame}};
}

static inline size_t made_user_bytes(const struct made_user_record *record)
{
	return sizeof(record->raw) + record->raw.count * sizeof(uint64_t);
}
