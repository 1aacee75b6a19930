/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The events of one EVENTS chunk, decoded and in time order. The batch keeps the decoder, which
 * holds the tasks and stack nodes of the events. A batch is reused for one chunk after another; its
 * memory grows to the largest chunk and is kept.
 */
#ifndef RWALKER_REPORT_READ_EVENT_BATCH_H
#define RWALKER_REPORT_READ_EVENT_BATCH_H

#include "common/array.h"
#include "format/event.h"
#include "format/event_decoder.h"
#include "format/limits.h"
#include "format/stack_mark.h"

struct batch_event {
	uint64_t time;
	uint32_t kind;	/* enum event_kind: one that has a list below */
	uint32_t index; /* in the list of its kind */
};

struct batch_sample { /* struct event_sample, packed: there are many */
	uint64_t period;
	uint32_t task, cpu, kernel, user;
	uint32_t probe, snapshot; /* 0: none */
	uint16_t source;
	uint8_t flags, missing;
};

struct event_batch {
	struct event_decoder *decoder;
	ARRAY(struct batch_event) events;
	ARRAY(struct batch_sample) samples;
	ARRAY(struct event_walk) walks;
	ARRAY(struct event_walk_task) walk_tasks;
	ARRAY(struct event_wait) waits;
	ARRAY(struct event_wake) wakes;
	ARRAY(struct event_user_stack) user_stacks;
	ARRAY(struct event_wait_sums) wait_sums;
	struct batch_event *spare; /* for sorting */
	size_t spare_room;
	size_t next;	    /* the next event to return */
	uint64_t unknown;   /* records skipped */
	bool malformed;	    /* a malformed record ended the chunk; the events before it are here */
};

int event_batch_init(struct event_batch *batch);
void event_batch_deinit(struct event_batch *batch);

/* Replaces the content. 0 or -ENOMEM. The payload is no longer needed afterwards. */
int event_batch_decode(struct event_batch *batch, const void *payload, size_t length);

#endif
