/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Hits of tracepoints and kernel functions: when each source runs, the way of its records from the
 * rings into the log, and how often each point was hit. Sources have the ids from
 * SOURCE_ID_POINTS on, in the order of points->sources.
 */
#ifndef RWALKER_RECORD_SOURCE_POINT_EVENTS_H
#define RWALKER_RECORD_SOURCE_POINT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/plan/record_options.h"
#include "record/source/source.h"

struct ring_head;

struct point_events {
	struct recording *recording;
	struct probe *probe;
	const struct filter *filter;
	const struct points *points;
	struct snapshots *snapshots; /* NULL: no snapshots */
	uint64_t start[RECORD_MAX_POINTS], stop[RECORD_MAX_POINTS]; /* of each source; stop 0: still running */
	uint64_t refused;   /* malformed records */
	uint64_t *filtered; /* by source and CPU: dropped by a -c that is too large for the programs */
	uint64_t *whole;    /* likewise: counted as cut by the program, but see ring_sample_is_whole() */
	uint64_t *told;	    /* per point: hits last written */
};

extern const struct source_ops point_events_ops;

/* The caller sets the members above `start`. 0, -ENOMEM. */
int point_events_init(struct point_events *events);
void point_events_deinit(struct point_events *events);

/* One RING_HIT from a ring. */
void point_events_take(struct point_events *events, const struct ring_head *head, size_t length);

/* PROBE_HITS, and what was seen and lost. */
void point_events_account(struct point_events *events, struct loss *loss);

#endif
