/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The rows of one source by interval, from the start of each recording on, as bcc's stackcount
 * counts between two outputs. Slices without events are included. The last one ends with the
 * recording: it may be shorter, or longer by a twentieth. An event belongs to the slice that
 * contains its time; the time of a wait is its end.
 */
#ifndef RWALKER_REPORT_VIEW_STACK_SLICES_H
#define RWALKER_REPORT_VIEW_STACK_SLICES_H

#include "common/array.h"
#include "report/view/look/event_reader.h"
#include "report/view/look/rows.h"
#include "report/view/text/view.h"

struct slice {
	uint32_t recording;
	uint64_t from, to; /* its times */
	struct rows rows;  /* valid until the next slice */
};

struct slices {
	struct event_reader reader;
	uint32_t source;
	const struct group_choice *only; /* NULL: all */
	const char *unit; /* the counted source */
	uint64_t interval; /* 0: one slice for each recording */
	uint64_t step;	   /* the same for this recording; if there are several, one without events is one slice */
	uint64_t left;	   /* number of slices still allowed */
	uint64_t next, end; /* of the recording: start of the next slice, end of the last one */
	uint32_t recording; /* the next one, or the one being sliced */
	bool begun;
	struct profile_event event; /* the source's next event, if there is one */
	bool has_event;
	ARRAY(struct row) rows;
};

/* Not for walks, which are not events and separate anyway, nor for sources without events: a heading is enough. */
bool slices_are_wanted(const struct view_context *context, const struct profile_source *source);

int slices_init(struct slices *slices, const struct view_context *context, uint32_t source);
void slices_deinit(struct slices *slices);

/* 1, 0 at the end. -EINVAL if there would be too many, after reporting it; -ENOMEM, -EBADMSG. */
int slices_next(struct slices *slices, struct slice *ret_slice);

/* The header of a slice: a line for people, and with -T the time of day at its end, as in stackcount. */
void slices_write_heading(const struct slices *slices, const struct slice *slice,
			  const struct view_context *context, bool bare);

#endif
