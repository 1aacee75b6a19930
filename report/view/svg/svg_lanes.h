/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The rows of a timeline: a lane for each thread of each recording, and what it did in each column
 * of the picture. Threads that waited longest for a CPU or in D come first.
 */
#ifndef RWALKER_REPORT_VIEW_SVG_SVG_LANES_H
#define RWALKER_REPORT_VIEW_SVG_SVG_LANES_H

#include "common/array.h"
#include "common/hash_map.h"
#include "report/view/look/event_reader.h"
#include "report/view/wait/thread_times.h"

enum { SVG_COLUMNS = 960 };

/* If times are equal, the first one is shown. SVG_RAN: it ran, or its waits were too short for an event. */
enum svg_state { SVG_DEEP, SVG_QUEUED, SVG_RAN, SVG_ASLEEP, SVG_STATES, SVG_UNKNOWN = SVG_STATES };

struct svg_lane {
	struct thread_time time; /* .recording and .task always; the rest if `waited` */
	bool waited;
	uint32_t number; /* before they were sorted */
	uint64_t samples;
	unsigned char *ticks; /* by column: whether there are samples; NULL if not needed */
};

struct svg_lanes {
	struct event_reader reader;
	struct wait_index index;
	struct thread_times times;
	struct hash_map known; /* (recording, thread) -> number */
	uint32_t *place;       /* by number: where it is in `items` */
	ARRAY(struct svg_lane) items; /* by recording */
};

struct svg_columns {
	uint64_t sums[SVG_STATES][SVG_COLUMNS]; /* ns */
};

struct svg_range { /* the part of a recording that is drawn */
	uint64_t from, length; /* ns */
};

/* 0, -ENOMEM, -EBADMSG. Deinitialize it in any case. */
int svg_lanes_init(struct svg_lanes *lanes, struct profile *profile);
void svg_lanes_deinit(struct svg_lanes *lanes);

/* The requested part of a recording. */
struct svg_range svg_lanes_range(const struct svg_lanes *lanes, uint32_t recording);
/* The time at which a column begins. */
uint64_t svg_column_time(struct svg_range range, uint32_t column);

/* Fills in the ticks of those lanes that have them. */
int svg_lanes_mark(struct svg_lanes *lanes);
void svg_lanes_fill(const struct svg_lanes *lanes, const struct svg_lane *lane, struct svg_columns *columns);
/* What the thread did for most of `width` columns. */
enum svg_state svg_columns_state(const struct svg_columns *columns, uint32_t first, uint32_t width);

#endif
