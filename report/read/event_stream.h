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

#include "report/read/event_batch.h"
#include "report/read/trace_file.h"

enum { STREAM_OPEN_MAX = 16 };

struct event_stream;

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

void event_stream_totals(const struct event_stream *stream, struct stream_totals *ret_totals);

#endif
