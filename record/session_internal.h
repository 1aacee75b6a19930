/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What session.c (run, stop), session_open.c (open, close) and the other session_*.c share: all parts of one recording.
 * Included by nothing else.
 */
#ifndef RWALKER_RECORD_SESSION_INTERNAL_H
#define RWALKER_RECORD_SESSION_INTERNAL_H

#include "record/command.h"
#include "record/host/cpus.h"
#include "record/host/service.h"
#include "record/output_file.h"
#include "record/place/streams.h"
#include "record/plan/budget.h"
#include "record/plan/filter.h"
#include "record/plan/recording.h"
#include "record/probe/points.h"
#include "record/source/drain.h"
#include "record/source/held_stacks.h"
#include "record/source/loss.h"
#include "record/source/point_events.h"
#include "record/source/samples.h"
#include "record/source/source.h"
#include "record/source/waits.h"
#include "record/source/walk.h"
#include "record/status.h"

struct cgroups;
struct confinement;
struct flight;
struct module_files;
struct spawner;
struct probe;
struct start_state;
struct wait_objects;
struct walk_users;

struct session_source {
	const struct source_ops *ops;
	void *self;
};

struct session_span { /* of the schedule: a source, or the number-th of its kind */
	const struct session_source *source;
	uint32_t number;
};

struct session_budget { /* --max-cpu */
	struct cpu_budget cpu;
	uint64_t looked, spent; /* when it was last measured, and the CPU time until then, ns */
	uint64_t resumed;	/* when a pause last ended; 0: there was none */
	struct event_budget told; /* the last record */
};

enum { SESSION_SOURCES = 4 };

struct session {
	const struct record_config *config;
	struct recording recording;
	struct cpus cpus;
	struct filter filter;
	struct command command;
	bool commands; /* there is a command */
	struct output_file output;
	struct spawner *spawner;
	struct flight *flight; /* NULL: everything is written to the output */
	struct notify notify;
	struct record_config reloaded[2]; /* rules point into these after a reload, alternately */
	uint32_t reloads;
	bool reload_wanted;
	const struct confinement *confinement;
	struct module_files *files;
	struct start_state *start_state;
	bool has_cgroups_v1;
	struct cgroups *cgroups; /* NULL: not wanted, or the kernel refused the programs */
	struct probe *probe;
	struct drain drain;
	struct walk_users *users; /* NULL: no user stacks of sleeping tasks */
	struct wait_objects *objects; /* NULL: what waits and sleeping tasks wait for is not recorded */
	struct session_source sources[SESSION_SOURCES]; /* these four, whether wanted or not */
	struct samples samples;
	struct waits waits;
	struct point_events point_events;
	struct walk walk;
	struct record_walk walk_plan; /* the config's, except for what a reload changes */
	struct snapshots snapshots;
	struct points points;
	struct streams streams;
	struct loss loss;
	struct schedule schedule;
	struct session_span spans[SCHEDULE_SPANS];
	struct status status;
	size_t ring_bytes;
	struct memory_plan plan;
	struct session_budget budget;
	int epoll_fd;
	int own_time; /* the time namespace that the recorder left; -1: none */
	uint64_t walk_by; /* until when the first walk waits for the mappings of processes */
	uint64_t files_asked, prompt_until; /* attempts to open files so far; until when passes are frequent */
	unsigned int helpers_ended; /* what was reported about them: session_service.c */
	char helpers_left[512];
	bool start_state_done;
	bool behind;	    /* the rings filled up while they were drained */
	bool found_stuck;   /* -s */
};

/* Nothing is open yet; too large for the stack. NULL: there is no memory. */
struct session *session_create(const struct record_config *config);

/* Whether anybody looks at all tasks and needs the user stacks of those that sleep. */
bool session_wants_sleepers(const struct record_config *config);

/* Everything before the first event. On failure (reported) session_close() takes down what was opened. */
int session_open(struct session *session);
void session_close(struct session *session);

/* --flight: everything here does nothing without it. */
int session_open_flight(struct session *session);
int session_begin_flight(struct session *session);
void session_begin_segment(struct session *session);
void session_want_dump(struct session *session);
void session_walked(struct session *session, uint64_t now);
void session_step_flight(struct session *session, uint64_t now);
bool session_end_flight(struct session *session);

/* Reports, here and in the trace, that helper processes are gone that a later part of the recording needs. */
void session_watch_helpers(struct session *session);
/* The same for helpers that cannot be ended. last: also for those that were left just now. */
void session_write_left(struct session *session, bool last);

/* --- what it may take --- */

/* Decides how large rings and the window are made. 0, -EINVAL after reporting that they do not fit. */
int session_plan_memory(struct session *session);
/* Writes the plan to the trace, and prints it if it is a lot. */
int session_write_memory(struct session *session);
uint64_t session_helper_bytes(const struct record_config *config); /* for one, to read a file; 0: no limit */
size_t session_ring_bytes(const struct record_config *config); /* as asked for */
uint64_t session_window_bytes(const struct session *session); /* as planned */
uint32_t session_threads(const struct cpus *cpus); /* to expect on this host */
uint32_t session_entries(const struct session *session);

/* --max-cpu: everything here does nothing without it. */
int session_open_budget(struct session *session);
void session_follow_budget(struct session *session, uint64_t now); /* once a second */
void session_write_budget(struct session *session, uint64_t now); /* writes the present step again */
bool session_samples(const struct session *session); /* sampling is not paused */

/* --- a service manager, helpers --- */

/* For a service manager; does nothing if there is none. */
int session_open_service(struct session *session);
void session_step_service(struct session *session, uint64_t now);
void session_notify(struct session *session, const struct status_figures *figures);

/* SIGHUP: true if it asks for a reload, which session_step_service() makes once no dump is being written. */
bool session_want_reload(struct session *session);

/* CPUs that came online get what the others have. */
void session_follow_cpus(struct session *session);

/* Which sources there are; before anything is opened. */
void session_list_sources(struct session *session);
/* The wanted source after `before`, or the first one after NULL; NULL: there are no more. */
const struct session_source *session_next_source(const struct session *session, const struct session_source *before);
#define EACH_SOURCE(source, session) \
	(const struct session_source *source = session_next_source(session, NULL); source; \
	 source = session_next_source(session, source))
/* All of them begin to record, until their ends in the schedule. */
void session_start_sources(struct session *session);
/* Stops those whose end has come. */
void session_stop_ended(struct session *session, uint64_t now);
/* Writes the sources; called again when their ends are known. */
void session_write_sources(struct session *session);
/* Writes what was seen and lost. */
void session_account(struct session *session, uint64_t now, bool all);
/* Of the status line and the summary. */
void session_figures(const struct session *session, struct status_figures *ret_figures);
void session_write_clock(struct session *session);

#endif
