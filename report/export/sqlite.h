/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the two files of --export sqlite have in common. Rows refer to each other by the profile's numbers, except
 * stacks, which have numbers of their own. Only what an event refers to is written: the first pass marks it. The first
 * error is kept; after it, nothing is written.
 *
 * Call chains are numbered in preorder: a chain comes before all chains that begin with it, and these have the numbers
 * up to its `last`. So all that was called from a chain is a range of numbers, which any database can look up.
 *
 *	main 1..4 ─┬─ parse 2..3 ── read 3..3
 *	           └─ write 4..4
 *
 * The root, number 0, is the empty chain. Chains that are not wanted have no number.
 */
#ifndef RWALKER_REPORT_EXPORT_SQLITE_H
#define RWALKER_REPORT_EXPORT_SQLITE_H

#include <stdbool.h>

#include "common/cleanup.h"
#include "report/file/database.h"
#include "report/profile/profile.h"
#include <stddef.h>
#include <stdint.h>
#include "report/view/event_reader.h"
#include "report/view/view.h"

#define SQLITE_TABLES(X) \
	X(about) X(hosts) X(recordings) X(sources) X(probes) X(tasks) X(modules) X(functions) X(frames) X(stacks) \
	X(sums) X(samples) X(waits) X(objects) X(wakes) X(brief_waits) X(running) X(walks) X(walked)
#define SQLITE_TABLE_NUMBER(name) TABLE_##name,
enum sqlite_table { SQLITE_TABLES(SQLITE_TABLE_NUMBER) TABLES };

struct stack_order {
	const struct profile_node *nodes;
	size_t node_count;
	bool *wanted;	       /* by node */
	uint32_t *number;      /* by wanted node; 0 for the root */
	uint32_t *node, *last; /* by number */
	uint32_t count;	       /* of numbers, including the root */
};

struct sqlite_export {
	const struct view_context *context;
	struct profile *profile;
	struct event_reader reader;
	struct stack_order order;
	struct database *database;
	struct database_query *inserts[TABLES]; /* from a table's first row on */
	bool *tasks;   /* by task: something refers to it */
	bool *objects; /* likewise by object */
	bool wakes;    /* wakeups are wanted */
	int error;
};

/* The value of a column: printable or any text, a number, or, if `text` is NULL or `known` false, nothing. */
struct sqlite_value {
	enum { SQLITE_NUMBER, SQLITE_WORD, SQLITE_TEXT } kind;
	bool known;
	uint64_t number;
	const char *text;
};

#define KNOWN(if_known, value) ((struct sqlite_value){.kind = SQLITE_NUMBER, .known = (if_known), .number = (value)})
#define NUMBER(value) KNOWN(true, value)
#define NOTHING KNOWN(false, 0)
#define WORD(printable) ((struct sqlite_value){.kind = SQLITE_WORD, .text = (printable)})
#define TEXT(bytes) ((struct sqlite_value){.kind = SQLITE_TEXT, .text = (bytes)})

/* Adds a row with the values of all columns. */
#define SQLITE_ROW(job, table, ...) \
	sqlite_add_row(job, TABLE_##table, (const struct sqlite_value[]){__VA_ARGS__}, \
		       sizeof((const struct sqlite_value[]){__VA_ARGS__}) / sizeof(struct sqlite_value))
void sqlite_add_row(struct sqlite_export *job, enum sqlite_table table, const struct sqlite_value *values, size_t count);

/* Mark what events, walks and sums of tasks refer to, and number the stacks. */
void sqlite_events_mark(struct sqlite_export *job);
void sqlite_walks_mark(struct sqlite_export *job);
void sqlite_stacks_number(struct sqlite_export *job);

/* The tables walks, walked, brief_waits, running; modules, functions, frames, stacks, sums; samples, objects, waits, wakes. */
void sqlite_walks_write(struct sqlite_export *job);
void sqlite_stacks_write(struct sqlite_export *job);
void sqlite_events_write(struct sqlite_export *job);

#endif
