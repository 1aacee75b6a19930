/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * --flight: the last part of the recording is kept in memory instead of a file, and written down
 * as a dump when something happens. The session passes what happens, and asks from time to time
 * whether a dump is due; a child of ours writes it. One dump is made at a time: what happens
 * while one is due or being made, or soon after, is counted and written to the trace, but makes
 * none.
 */
#ifndef RWALKER_RECORD_FLIGHT_FLIGHT_H
#define RWALKER_RECORD_FLIGHT_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "format/trace_writer.h"
#include "record/plan/record_options.h"

struct flight;
struct module_files;
struct open_waits;
struct recording;

/* What a trace writer needs that writes to no file at all. */
extern const struct trace_io flight_no_file;

struct flight_sizes { /* bytes */
	uint64_t window; /* of stored chunks, at most */
	uint64_t helper; /* of the memory of each helper, 0: as its jail says */
};

/*
 * As root, before anything else is open: helpers, and all memory. 0, or -errno after reporting
 * why. The recording's members are used once flight_begin() was called.
 */
int flight_open(const struct record_config *config, struct recording *recording, const struct flight_sizes *sizes,
		struct flight **ret_flight);
/* Gives up a dump that is being made. */
void flight_close(struct flight *flight);

/* Of the helpers of dumps; 0: there is no flight. */
pid_t flight_nursery_pid(const struct flight *flight);

/* Its helpers are gone, and dumps will lack names. */
bool flight_lost_nursery(const struct flight *flight);

/* All stored chunks go there. */
struct trace_tap flight_tap(struct flight *flight);
int flight_begin(struct flight *flight, struct module_files *files);

struct flight_cause {
	const char *rule; /* as given; "signal", "end" */
	const char *comm; /* NULL: it is about no task */
	uint32_t tgid, tid;
	uint64_t value;
	bool always; /* somebody wants it now: neither --post nor --cooldown count */
};

void flight_fire(struct flight *flight, const struct flight_cause *cause, uint64_t now);

/* The longest wait in D of a walk over all tasks. */
void flight_walked(struct flight *flight, const struct flight_cause *cause, uint64_t now);

/* Whether flight_reload() may be called: no dump is being written. */
bool flight_is_idle(const struct flight *flight);
/*
 * Takes over rules, --post, --cooldown, --max-dumps and --max-kept of a plan that stays where it
 * is; the window stays. 0, or -errno after reporting why: then all is as before.
 */
int flight_reload(struct flight *flight, struct record_flight *plan, const struct record_offcpu *offcpu);

/* When flight_is_due() should be asked at the latest, CLOCK_MONOTONIC ns. */
uint64_t flight_next(const struct flight *flight);
/* Collects a dump that was made. True: the session writes what it has to the log and calls flight_dump(). */
bool flight_is_due(struct flight *flight, uint64_t now);
/* open: what is under way; NULL: it is in the log. */
void flight_dump(struct flight *flight, struct open_waits *open, uint64_t now);

/* At the end, after everything was written to the log: the last dump, and waits for it. */
void flight_end(struct flight *flight, uint64_t now);

/* CPU time that helpers have used so far, ns. */
uint64_t flight_helpers_time(struct flight *flight);

struct flight_counts {
	uint64_t dumps, failed;
};

struct flight_counts flight_counts(const struct flight *flight);

struct window_span;
/* What is kept now. */
void flight_span(const struct flight *flight, struct window_span *ret_span);
/* From when on a dump made now would hold what was recorded, CLOCK_MONOTONIC ns. */
uint64_t flight_since(const struct flight *flight, uint64_t now);

#endif
