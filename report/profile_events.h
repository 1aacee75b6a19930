/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The part of the seam where each event stands on its own, with its moment: samples of CPUs, tracepoints and functions,
 * waits, and the wakeups that ended them, of all traces given, after the filters. Only if profile_filter.each_event was set;
 * the weights are those that the profile's entries are the sums of. And the probes, of which there may be many to a
 * source, with what the recorder counted of them.
 *
 * Times are CLOCK_MONOTONIC ns of the recording they are from: compare them within one recording only.
 */
#ifndef RWALKER_REPORT_PROFILE_EVENTS_H
#define RWALKER_REPORT_PROFILE_EVENTS_H

#include "report/profile_waits.h"

enum { PROFILE_NO_PROBE = UINT32_MAX, PROFILE_NO_CPU = UINT16_MAX };

enum profile_event_kind { PROFILE_EVENT_WAKEUP, PROFILE_EVENT_SAMPLE, PROFILE_EVENT_WAIT }; /* in this order at equal times */

struct profile_event {
	enum profile_event_kind kind;
	uint64_t time;	 /* of a wait its end, or when it was looked at last */
	uint64_t weight; /* in the source's unit */
	uint32_t recording, source;
	uint32_t probe;	 /* of samples: number, or PROFILE_NO_PROBE */
	uint32_t task, node, flags; /* of a wakeup the waker, its call chain, enum profile_chain_flag */
	uint16_t cpu;	 /* of a wakeup PROFILE_NO_CPU */
	const struct profile_wait *wait; /* the wait; of a wakeup the one that it ended; else NULL */
};

/* A way through all events: by recording, then time. Plain data of the caller's. */
struct profile_events {
	const struct profile *profile;
	size_t samples, wakeups, waits; /* that were handed out */
};

void profile_events_begin(const struct profile *profile, struct profile_events *ret_events);
bool profile_events_next(struct profile_events *events, struct profile_event *ret_event);

/* Of a recording, what lies within the times asked for; from > to where nothing does. Events may lie a little outside. */
void profile_recording_part(const struct profile *profile, uint32_t recording, uint64_t *ret_from, uint64_t *ret_to);

/* One tracepoint or kernel function of a source, in all recordings that have it. */
struct profile_probe {
	uint32_t source;
	const char *name;
	/* What the recorder counted, which knows nothing of the report's filters. */
	uint64_t hits;	   /* that it wanted: each has an event, was skipped, or was lost */
	uint64_t skipped;  /* of these, beyond the rate that was allowed */
	uint64_t missed;   /* beside these: the kernel did not run the program */
	bool counted;	   /* all recordings tell */
	uint64_t duration; /* ns, of all recordings together */
	uint64_t events;   /* in the traces, before the report's filters */
	uint64_t samples;  /* after them */
};

/* By source, then name. */
size_t profile_probes(const struct profile *profile, const struct profile_probe **ret_probes);

#endif
