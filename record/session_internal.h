/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What session.c (run, stop) and session_open.c (open, close) share: all parts of one recording, each made by one
 * step of opening and taken down in reverse. Included by nobody else.
 */
#ifndef RWALKER_RECORD_SESSION_INTERNAL_H
#define RWALKER_RECORD_SESSION_INTERNAL_H

#include "record/command.h"
#include "record/cpus.h"
#include "record/drain.h"
#include "record/filter.h"
#include "record/loss.h"
#include "record/output_file.h"
#include "record/perf_event.h"
#include "record/point_events.h"
#include "record/points.h"
#include "record/recording.h"
#include "record/schedule.h"
#include "record/snapshots.h"
#include "record/status.h"
#include "record/waits.h"
#include "record/walk.h"

struct module_files;
struct nursery;
struct probe;
struct start_state;
struct walk_users;

enum { SOURCE_ID_CPU = 1, SOURCE_ID_TASKS = 2, SOURCE_ID_OFFCPU = 3, SOURCE_ID_WAKERS = 4, SOURCE_ID_POINTS = 5 };

struct session_span { /* when a source ran */
	uint64_t start, stop; /* stop 0: it runs */
};

struct session {
	const struct record_config *config;
	struct recording recording;
	struct cpus cpus;
	struct filter filter;
	struct command command;
	bool commands; /* there is a command */
	struct output_file output;
	struct nursery *nursery;
	struct module_files *files;
	struct start_state *start_state;
	struct probe *probe;
	struct perf_events events;
	struct drain drain;
	struct walk_users *users; /* NULL: no user stacks of tasks that sleep */
	struct walk walk;
	struct waits waits;
	struct snapshots snapshots;
	struct points points;
	struct point_events point_events;
	struct loss loss;
	struct schedule schedule;
	struct status status;
	size_t ring_bytes;
	int epoll_fd;
	struct session_span cpu_span, waits_span;
	uint64_t walks_stop;
	uint64_t walk_by; /* the first walk waits for the mappings of processes, but no longer */
	uint64_t files_asked, prompt_until; /* attempts to open files so far; passes are frequent up to then */
	bool start_state_done;
	bool sampling;	    /* the perf events count */
	bool waiting;	    /* the off-CPU programs run */
	bool behind;	    /* the rings filled while they were drained */
	bool found_stuck;   /* -s */
};

/* Everything up to, and not including, the first event. On failure (said) session_close() takes down what there is. */
int session_open(struct session *session);
void session_close(struct session *session);

/* Tells the sources, again once their ends are known. */
void session_tell_sources(struct session *session);
void session_tell_clock(struct session *session);

#endif
