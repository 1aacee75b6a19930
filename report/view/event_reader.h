/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The events of a profile one after the other, looked over so that views may trust them: numbers are within their tables, no
 * wait ends before it begins, and they come by recording, then time. What contradicts that is -EBADMSG.
 */
#ifndef RWALKER_REPORT_VIEW_EVENT_READER_H
#define RWALKER_REPORT_VIEW_EVENT_READER_H

#include "report/profile_events.h"
#include "report/view/chain.h"
#include "report/view/functions.h"
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

int event_reader_init(struct event_reader *reader, const struct profile *profile);
/* From the first event again. */
void event_reader_rewind(struct event_reader *reader);
/* 1, 0 at the end, -EBADMSG. */
int event_reader_next(struct event_reader *reader, struct profile_event *ret_event);

/* The probe's name, else the source's. */
const char *event_reader_name(const struct event_reader *reader, const struct profile_event *event);

/* How many of its chain's frames are shown: an interrupt's user frames are those of a task that has nothing to do with it. */
size_t event_reader_frames(const struct profile_event *event, const struct chain *chain);

/* Looks up the functions of all call chains that are in `nodes`, each of which is marked with its ancestors. */
int event_reader_find_functions(const struct profile *profile, struct functions *functions, const bool *nodes);
/* Marks a chain's nodes; those that were marked before cost nothing. -EBADMSG. */
int event_reader_mark(const struct profile *profile, uint32_t node, bool *nodes);

#endif
