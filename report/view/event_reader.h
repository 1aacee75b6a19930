/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Iterates over the events of a profile, and checks them so that views may trust them: numbers are
 * within their tables, no wait ends before it begins, and they are ordered by recording, then time.
 * -EBADMSG if that is violated.
 */
#ifndef RWALKER_REPORT_VIEW_EVENT_READER_H
#define RWALKER_REPORT_VIEW_EVENT_READER_H

#include "common/array.h"
#include "report/profile/profile.h"
#include "report/view/functions.h"
#include "report/view/groups.h"
#include "report/view/view.h"
#include "report/view/waits.h"

struct event_reader {
	struct waits waits; /* recordings and tasks too */
	const struct profile_source *sources;
	const struct profile_probe *probes;
	size_t source_count, probe_count, task_count, node_count;
	struct profile_events events;
	uint64_t time; /* of the last event */
	uint32_t recording;
};

int event_reader_init(struct event_reader *reader, struct profile *profile);
/* Starts again from the first event. */
void event_reader_rewind(struct event_reader *reader);
/* 1, 0 at the end, -EBADMSG. */
int event_reader_next(struct event_reader *reader, struct profile_event *ret_event);

/* The name of the probe, else of the source. */
const char *event_reader_name(const struct event_reader *reader, const struct profile_event *event);

/* The number of frames to show of its chain: an interrupt's user frames are those of an unrelated task. */
size_t event_reader_frames(const struct profile_event *event, const struct chain *chain);

/* Looks up the functions of all call chains in `nodes`, which are marked together with their ancestors. */
int event_reader_find_functions(const struct profile *profile, struct functions *functions,
				const bool *nodes);
/* Marks a chain's nodes; nodes that are already marked cost nothing. -EBADMSG. */
int event_reader_mark(const struct profile *profile, uint32_t node, bool *nodes);

/*
 * The rows of one source by interval, from the start of each recording on, as bcc's stackcount
 * counts between two outputs. Slices without events are included. The last one ends with the
 * recording: it may be shorter, or longer by a twentieth. An event belongs to the slice that
 * contains its time; the time of a wait is its end.
 */

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
