/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The schema of --export sqlite, which rwalker-sqlite(5) documents: programs and queries of others
 * depend on it. An addition keeps the version; if something changes its meaning or is removed, the
 * version (PRAGMA user_version) is incremented.
 */
#ifndef RWALKER_REPORT_EXPORT_SQLITE_H
#define RWALKER_REPORT_EXPORT_SQLITE_H

#include "common/cleanup.h"
#include "report/export/sqlite_rows.h"
#include "report/pack/database.h"
#include "report/view/event_reader.h"
#include "report/view/view.h"

extern const char sqlite_schema_tables[];
extern const char sqlite_schema_views[];   /* for people's queries */
extern const char sqlite_schema_indices[]; /* last: sorting once is cheaper than keeping order */

/*
 * What all tables of --export sqlite have in common. Rows refer to each other by the profile's
 * numbers, except stacks, which have numbers of their own (stack_order.h). Only what an event
 * refers to is written: the first pass marks it.
 */

struct sqlite_export {
	const struct view_context *context;
	struct profile *profile;
	struct event_reader reader;
	struct stack_order order;
	struct database *database;
	bool *tasks; /* by task: something refers to it */
	bool *objects; /* likewise by object */
	bool wakes;  /* wakeups are wanted */
};

/* A step of the work. */
typedef int sqlite_step(struct sqlite_export *job);

/* Marks what the events refer to. 0, -ENOMEM, -EBADMSG. */
int sqlite_events_mark(struct sqlite_export *job);
/* The tables objects, samples, waits and wakes. */
int sqlite_events_write(struct sqlite_export *job);

/* Ends a row with what the wait was for, as in reports. */
int sqlite_write_what_for(const struct sqlite_export *job, struct database_query *insert,
			  const struct profile_wait *wait);

/* The tables modules, functions, frames, stacks and sums. */
int sqlite_stacks_write(struct sqlite_export *job);

/* The tables about, hosts, recordings, sources, probes and tasks. */
int sqlite_origins_write(struct sqlite_export *job);

/* The tables without events: walks, walked, brief_waits and running. They mark tasks and stacks, too. */
int sqlite_walks_mark(struct sqlite_export *job);
int sqlite_walks_write(struct sqlite_export *job);

#define _cleanup_insert_ _cleanup_(cleanup_insert)

static inline void cleanup_insert(struct database_query **insert)
{
	database_query_destroy(*insert);
}

#endif
