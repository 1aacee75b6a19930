/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The events of one section in time order. Chunks overlap a little (rings are drained one after
 * another, chunks are closed by size), so a chunk is opened when its first_time is reached and its
 * events are merged with those of the other open chunks. At most STREAM_OPEN_MAX are open: if more
 * chunks overlap, some events are out of order. They are counted in `out_of_order`, and their
 * addresses are looked up in a later state.
 */
#ifndef RWALKER_REPORT_READ_EVENT_STREAM_H
#define RWALKER_REPORT_READ_EVENT_STREAM_H

#include "common/array.h"
#include "format/event.h"
#include "format/event_decoder.h"
#include "format/limits.h"
#include "format/stack_mark.h"
#include "report/read/trace_file.h"

struct event_stream;

/*
 * The events of one EVENTS chunk, decoded and in time order. The batch keeps the decoder, which
 * holds the tasks and stack nodes of the events. A batch is reused for one chunk after another; its
 * memory grows to the largest chunk and is kept.
 */
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

enum { STREAM_OPEN_MAX = 16 };

struct stream_event {
	const struct batch_event *event;
	const struct event_batch *batch;
	uint32_t slot;	 /* which of the STREAM_OPEN_MAX slots the batch is in */
	uint64_t serial; /* identifies the chunk: the next chunk in the same slot has another serial */
};

struct stream_totals {
	uint64_t unknown, malformed, damaged; /* records, chunks, chunks */
	uint64_t out_of_order;		      /* events */
};

int event_stream_create(struct trace_file *file, uint32_t section, struct event_stream **ret_stream);
void event_stream_destroy(struct event_stream *stream);

/* 1: *ret_event is the next; valid until the next call. 0: end. -ENOMEM, -errno of reading. */
int event_stream_next(struct event_stream *stream, struct stream_event *ret_event);

/* Uncompressed bytes of the chunks whose events were returned, to show progress. */
uint64_t event_stream_done(const struct event_stream *stream);

void event_stream_add_totals(const struct event_stream *stream, struct stream_totals *sum);

#endif
