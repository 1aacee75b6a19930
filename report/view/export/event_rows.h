/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Everything that a profile has, one by one: samples, hits, wakeups and waits in the order of the
 * event reader, then the walked tasks. Also what exports need to know about recordings: names of
 * hosts, and one time for all of them.
 */
#ifndef RWALKER_REPORT_VIEW_EXPORT_EVENT_ROWS_H
#define RWALKER_REPORT_VIEW_EXPORT_EVENT_ROWS_H

#include "report/view/look/event_reader.h"
#include "report/profile/seam/profile_origin.h"

struct event_rows {
	struct event_reader reader;
	const struct profile_walk *walks;
	const struct profile_walk_task *walk_tasks;
	size_t walk_count, walk_task_count, walked; /* walked: returned so far */
	uint32_t walk_source; /* UINT32_MAX: tasks were not walked, or are not wanted */
	uint64_t earliest;    /* when the first recording began, ns since 1970; 0: not known for all of them */
};

struct event_row {
	const struct event_rows *rows;
	struct profile_event event;	     /* of a walked task: a sample of weight 1 */
	const struct profile_walk_task *walked; /* NULL if it is an event */
};

int event_rows_init(struct event_rows *rows, struct profile *profile);
void event_rows_rewind(struct event_rows *rows);
/* 1, 0 at the end, -EBADMSG. */
int event_rows_next(struct event_rows *rows, struct event_row *ret_row);

const struct profile_task *event_rows_task(const struct event_rows *rows, uint32_t task);
const char *event_rows_host(const struct event_rows *rows, uint32_t recording);

/* ns since the begin of the recording. */
int64_t event_rows_offset(const struct event_rows *rows, uint32_t recording, uint64_t time);
/* ns since the begin of the first recording, if the clocks of all are known, else of this one. */
int64_t event_rows_common(const struct event_rows *rows, uint32_t recording, uint64_t time);

/* Where the part of a wait begins that its weight measures: the part within the recording and the requested times. */
uint64_t event_rows_wait_begin(const struct event_rows *rows, const struct profile_wait *wait);

#endif
