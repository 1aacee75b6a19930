/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the parts of one recording share: created in main, passed down, each piece owned by the
 * part that created it. session.c fills it in this order and takes it down in reverse:
 *
 *     log, max_cpus, own_tgid -> modules, kernel_map, kernel_chains, hits -> sideband -> (start state) -> sources
 *
 * Everything here is allocated before the first event. One thread uses it; helper processes get
 * what they need as arguments and never write to the log.
 */
#ifndef RWALKER_RECORD_PLAN_RECORDING_H
#define RWALKER_RECORD_PLAN_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "format/event_log.h"
#include "format/limits.h"
#include "record/plan/record_options.h"

struct cgroup_table;
struct event_task;
struct event_wait;
struct hits;
struct kernel_chains;
struct kernel_map;
struct module_table;
struct sideband;
struct trace_io;
struct trace_writer;

/* Who wants the recording to stop; read it with recording_stopping(). */
enum recording_stop {
	RECORDING_RUNS,
	RECORDING_ENDED,     /* the last bounded source, -d, or the command's end */
	RECORDING_SIGNALLED, /* first Ctrl-C, TERM or HUP: close the events, then embed */
	RECORDING_FAILED,    /* the log refused a chunk: `error` says why */
};

/* The function to call for waits as they are recorded; wait NULL: none. */
struct recording_watch {
	uint64_t least; /* ns: only for longer waits */
	void *context;
	void (*wait)(void *context, const struct event_wait *wait, const struct event_task *task);
};

struct stack_cuts { /* user stacks of a source that were cut, and have no snapshot */
	uint64_t astray;  /* at a frame outside every mapping */
	uint64_t unknown; /* because the mappings of their process were unknown */
};

struct recording {
	const struct record_config *config;
	const struct trace_io *io;
	struct trace_writer *writer;
	struct event_log *log;
	struct module_table *modules;
	struct kernel_map *kernel_map;
	struct kernel_chains *kernel_chains;
	struct hits *hits;
	struct sideband *sideband;
	struct cgroup_table *cgroups; /* NULL: not wanted */
	struct recording_watch watch;

	uint32_t max_cpus; /* the largest possible CPU number plus one */
	uint32_t threads;  /* on the host at the start, but at least in proportion to its CPUs */
	unsigned int halvings; /* of tables, so that they fit --max-memory (budget.h) */
	uint32_t own_tgid; /* in the init pid namespace, as BPF and perf see it */
	uint32_t segment;  /* of --flight; others stay in the first one, 0 */
	uint64_t unlooked; /* threads that looks at all of them left out */
	uint64_t start;	   /* CLOCK_MONOTONIC ns: no event is older */

	enum recording_stop stop;
	int error; /* -errno of the first call on the log that failed; 0 if none did */
	uint64_t refused; /* records that the encoder refused: see recording_check() */
	uint64_t user_path[RWK_MAX_PATH]; /* the last user stack, with the words at its top */
	struct stack_cuts cuts[EVENT_LOG_SOURCES]; /* by source */
	int signal_fd; /* SIGINT, SIGTERM, SIGHUP, SIGCHLD; blocked in the recorder, unblock them in children */
};

/*
 * Checks the result of a call on the log: the first failure stops the recording and is kept. A record that the encoder
 * refuses (-EINVAL, although the log can be written) is our fault, and only that record is lost: it is counted, and 0
 * is returned. Returns the result otherwise, so that `if (recording_check(recording, event_log_...(...)))` reads well.
 */
int recording_check(struct recording *recording, int result);

/*
 * When things happen in a recording (ARCHITECTURE.md, "A recording from start to end"): all sources start together,
 * each stops at its own end, walks are done at the start and at every interval, and everything ends with the last
 * source that has an end of its own, or at -d. Pure arithmetic on CLOCK_MONOTONIC ns.
 */
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
 * True once for each walk that is due. If a walk takes longer than the interval, the missed walks are not made up for.
 */
bool schedule_walk_is_due(struct schedule *schedule, uint64_t now);
/* True once, when the end of the span is reached. */
bool schedule_end_is_due(struct schedule *schedule, uint32_t number, uint64_t now);
bool schedule_is_over(const struct schedule *schedule, uint64_t now);

/* The next moment at which one of the above may change. */
uint64_t schedule_next(const struct schedule *schedule);

#endif
