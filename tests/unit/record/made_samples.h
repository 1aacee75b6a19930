/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Records of a ring as the programs write them (bpf/ring_event.h), by hand. */
#pragma once

#include <linux/types.h>
#include <stdio.h>

#include "bpf/ring_event.h"
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
