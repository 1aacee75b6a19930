/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The times in which names of a recording are unreliable, because records of any CPU were missing:
 * its UNSURE records as ascending, disjoint spans of time.
 */
#ifndef RWALKER_REPORT_READ_UNSURE_TIMES_H
#define RWALKER_REPORT_READ_UNSURE_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array.h"
#include "format/event.h"

struct unsure_span {
	uint64_t from, until; /* both inclusive */
};

struct unsure_times {
	ARRAY(struct unsure_span) spans;
};

/* 0, -ENOMEM. `times` must be empty before the call. */
int unsure_times_make(struct unsure_times *times, const struct event_unsure *records, size_t count);
void unsure_times_deinit(struct unsure_times *times);

/* Whether records are certainly missing, which is a loss. An offline CPU has no records, except for a moment. */
bool unsure_times_lack(const struct event_unsure *records, size_t count);

bool unsure_times_hold(const struct unsure_times *times, uint64_t time);

#endif
