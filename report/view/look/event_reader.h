/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Iterates over the events of a profile, and checks them so that views may trust them: numbers are
 * within their tables, no wait ends before it begins, and they are ordered by recording, then time.
 * -EBADMSG if that is violated.
 */
#ifndef RWALKER_REPORT_VIEW_LOOK_EVENT_READER_H
#define RWALKER_REPORT_VIEW_LOOK_EVENT_READER_H

#include "report/profile/seam/profile_events.h"
#include "report/view/look/chain.h"
#include "report/view/look/functions.h"
#include "report/view/look/waits.h"

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

#endif
