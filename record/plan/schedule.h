/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * When things happen in a recording (ARCHITECTURE.md, "A recording from start to end"): all
 * sources start together, each stops at its own end, walks are done at the start and at every
 * interval, and everything ends with the last source that has an end of its own, or at -d. Pure
 * arithmetic on CLOCK_MONOTONIC ns.
 */
#ifndef RWALKER_RECORD_PLAN_SCHEDULE_H
#define RWALKER_RECORD_PLAN_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "record/plan/record_options.h"

enum { SCHEDULE_SPANS = RECORD_MAX_POINTS + 4 };

struct schedule_span { /* of a source that runs without interruption */
	uint64_t end; /* UINT64_MAX: at the end of everything, or already over */
	bool runs;
	bool ends; /* has an end that the recording waits for */
};

struct schedule {
	uint64_t limit;	    /* -d; UINT64_MAX: none */
	uint64_t next_walk; /* UINT64_MAX: no more walks */
	uint64_t interval;  /* 0: one walk */
	int64_t walks_left; /* -1: unlimited */
	bool walks_end;	    /* walks have an end that the recording waits for, also beside sources */
	struct schedule_span spans[SCHEDULE_SPANS]; /* of sources */
	uint32_t span_count;
};

/* Walks, and the end of everything. Sources follow, each with schedule_add(). */
void schedule_init(struct schedule *schedule, const struct record_config *config, uint64_t now);
/* A source that runs from now on. lasts: ns; 0: until the end. Returns the number of its span. */
uint32_t schedule_add(struct schedule *schedule, int64_t lasts, uint64_t now);

/*
 * True once for each walk that is due. If a walk takes longer than the interval, the missed walks
 * are not made up for.
 */
bool schedule_take_walk(struct schedule *schedule, uint64_t now);
/* True once, when the end of the span is reached. */
bool schedule_take_end(struct schedule *schedule, uint32_t number, uint64_t now);
bool schedule_is_over(const struct schedule *schedule, uint64_t now);

/* The next moment at which one of the above may change. */
uint64_t schedule_next(const struct schedule *schedule);

#endif
