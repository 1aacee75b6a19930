/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * --flight: keeps the last part of the recording in memory instead of a file, and writes it as a dump when a trigger
 * fires. The session passes on what happens, and asks from time to time whether a dump is due; a child process writes
 * it. Only one dump is made at a time: triggers that fire while one is due or being made, or soon after, are counted
 * and written to the trace, but make no dump.
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

/* For a trace writer that writes to no file at all. */
extern const struct trace_io flight_no_file;

struct flight_sizes { /* bytes */
	uint64_t window; /* limit for segments */
	uint64_t helper; /* limit for the memory of each helper; 0: its jail's */
};

/*
 * Call it as root, before anything else is open. Starts the helpers and allocates all memory. 0, or -errno after
 * reporting why.
 */
int flight_open(const struct record_config *config, struct recording *recording, const struct flight_sizes *sizes,
		struct flight **ret_flight);
/* Abandons a dump that is being made. */
void flight_close(struct flight *flight);

/* Of dumps, which have no names once it is gone; NULL if flight is. */
struct spawner *flight_spawner(const struct flight *flight);

/* The tap that must get all stored chunks. */
struct trace_tap flight_tap(struct flight *flight);
int flight_begin(struct flight *flight, struct module_files *files);

/* Whether another segment should begin; also before each dump. Then the session does what flight_internal.h says. */
bool flight_wants_segment(const struct flight *flight, uint64_t now);
/* Everything is in the log, and written out. */
void flight_begin_segment(struct flight *flight, uint64_t now);

struct flight_cause {
	const char *rule; /* as given; "signal", "end" */
	const char *comm; /* NULL: not about a task */
	uint32_t tgid, tid;
	uint64_t value;
	bool always; /* somebody wants a dump now: --post and --cooldown do not apply */
};

void flight_fire(struct flight *flight, const struct flight_cause *cause, uint64_t now);
/* cause: the longest wait in D that a walk over all tasks found. */
void flight_walked(struct flight *flight, const struct flight_cause *cause, uint64_t now);

/*
 * Takes over rules, --post, --cooldown, --max-dumps and --max-kept of the plan, which must stay valid; the window
 * stays. Only while no dump is being written. 0, or -errno after reporting why: then nothing has changed.
 */
int flight_reload(struct flight *flight, struct record_flight *plan, const struct record_offcpu *offcpu);

/* Reaps the child that made a dump. If true, the session writes what it has to the log and calls flight_dump(). */
bool flight_is_due(struct flight *flight, uint64_t now);
/* open: the waits under way; NULL if they are in the log. */
void flight_dump(struct flight *flight, struct open_waits *open, uint64_t now);
/* Waits until no dump is being written. */
void flight_await(struct flight *flight);

struct flight_state {
	uint64_t dumps, failed;
	uint64_t bytes, since; /* what is kept: from when on, CLOCK_MONOTONIC ns */
	uint64_t next; /* when flight_is_due() should be called at the latest */
	bool idle; /* no dump is being written */
};

struct flight_state flight_state(const struct flight *flight);

#endif
