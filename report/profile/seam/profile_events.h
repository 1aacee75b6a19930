/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The single events of a profile, each with its time, from all given traces, after the filters:
 * samples of CPUs, tracepoints and functions, waits, and the wakeups that ended them. Available
 * only if PROFILE_EACH_EVENT was set; the profile's entries are the sums of these weights.
 * Also the probes, of which a source may have many, with the recorder's counts.
 *
 * Times are CLOCK_MONOTONIC ns of their recording: compare them within one recording only.
 */
#ifndef RWALKER_REPORT_PROFILE_SEAM_PROFILE_EVENTS_H
#define RWALKER_REPORT_PROFILE_SEAM_PROFILE_EVENTS_H

#include "report/profile/seam/profile_waits.h"

enum { PROFILE_NO_PROBE = UINT32_MAX };

enum profile_event_kind { /* in this order at equal times */
	PROFILE_EVENT_WAKEUP,
	PROFILE_EVENT_SAMPLE,
	PROFILE_EVENT_WAIT
};

struct profile_event {
	enum profile_event_kind kind;
	uint64_t time;	 /* wait: its end, or when it was last looked at */
	uint64_t weight; /* in the source's unit */
	uint32_t recording, source;
	uint32_t probe;	 /* sample: number, or PROFILE_NO_PROBE */
	uint32_t task, node, flags; /* wakeup: the waker, its call chain, enum profile_chain_flag */
	uint16_t cpu;	 /* wakeup: PROFILE_NO_CPU */
	const struct profile_wait *wait; /* the wait; wakeup: the wait that it ended; else NULL */
};

/* An iterator over all events: by recording, then time. Plain data, owned by the caller. */
struct profile_events {
	const struct profile *profile;
	size_t samples, wakeups, waits; /* returned so far */
};

void profile_events_begin(const struct profile *profile, struct profile_events *ret_events);
bool profile_events_next(struct profile_events *events, struct profile_event *ret_event);

/* The requested part of a recording; from > to if there is none. Events may be slightly outside. */
void profile_recording_part(const struct profile *profile, uint32_t recording, uint64_t *ret_from,
			    uint64_t *ret_to);

/* A tracepoint or kernel function of a source, in all recordings that have it. */
struct profile_probe {
	uint32_t source;
	const char *name;
	/* The recorder's counts, to which the report's filters do not apply. */
	uint64_t hits;	   /* hits that passed the recorder's filters: each has an event, was skipped, or was lost */
	uint64_t skipped;  /* of these, the hits beyond the rate limit */
	uint64_t missed;   /* not in `hits`: the kernel did not run the program */
	bool counted;	   /* whether all recordings have the counts */
	uint64_t duration; /* ns, the sum of all recordings */
	uint64_t events;   /* in the traces, before the report's filters */
	uint64_t samples;  /* of these, after the filters */
};

/* By source, then name. */
size_t profile_probes(const struct profile *profile, const struct profile_probe **ret_probes);

#endif
