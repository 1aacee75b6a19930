/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The rows of one source interval by interval, from the start of each recording on: what bcc's stackcount counts between two
 * of its outputs. Slices without an event are there, too; the last one ends with the recording, and may be shorter, or longer
 * by a twentieth. An event belongs to the slice that has begun when it happens; a wait happens when it ends.
 */
#ifndef RWALKER_REPORT_VIEW_SLICES_H
#define RWALKER_REPORT_VIEW_SLICES_H

#include "common/array.h"
#include "report/view/event_reader.h"
#include "report/view/rows.h"
#include "report/view/view.h"

struct slice {
	uint32_t recording;
	uint64_t from, to; /* its times */
	struct rows rows;  /* good until the next slice */
};

struct slices {
	struct event_reader reader;
	uint32_t source;
	const char *unit; /* what is counted */
	uint64_t interval; /* 0: one slice for each recording */
	uint64_t step;	   /* the same of this recording: where there are several, one that has no event is one slice */
	uint64_t left;	   /* slices that may still be made */
	uint64_t next, end; /* of the recording: where the next slice begins, where the last one ends */
	uint32_t recording; /* that is next, or whose slices are being made */
	bool begun;
	struct profile_event event; /* the next of the source, if there is one */
	bool has_event;
	ARRAY(struct row) rows;
};

/* Walks are no events, and stand on their own anyway; of a source without an event the heading tells enough. */
bool slices_are_wanted(const struct view_context *context, const struct profile_source *source);

int slices_init(struct slices *slices, const struct view_context *context, uint32_t source);
void slices_deinit(struct slices *slices);

/* 1, 0 at the end. -EINVAL where they would be too many, after it said so; -ENOMEM, -EBADMSG. */
int slices_next(struct slices *slices, struct slice *ret_slice);

/* What is printed above a slice: a line for people, and with -T the time of day at its end, as stackcount has it. */
void slices_write_heading(const struct slices *slices, const struct slice *slice, const struct view_context *context, bool bare);

#endif
