/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which control groups --cgroup and --container choose, as ids for the programs: the topmost ones
 * that match. Those below them are included, also those that are made there later. Looked up once,
 * at the start, in the cgroup v2 file system.
 */
#ifndef RWALKER_RECORD_PLACE_CGROUPS_H
#define RWALKER_RECORD_PLACE_CGROUPS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "record/plan/filter.h"

struct cgroup_table;
struct cgroups;
struct probe;
struct recording;
struct ring_cgroup;
struct spawner;

/* Fills filter->cgroups; nothing if neither option was given. 0, or -errno after reporting what there is instead. */
int cgroup_choice_make(const struct record_who *who, struct filter_cgroups *cgroups);

/*
 * The control groups of the host, by id, as the programs report them (bpf/cgroups.bpf.c). Those
 * that a task was in are written to the trace once, and once more when they are removed. Memory is
 * fixed: if the table is full, those that were removed are forgotten; if there are still too many,
 * the rest have no paths.
 */

enum { CGROUP_TABLE_MOST = 16384 };

/* 0, -ENOMEM. */
int cgroup_table_create(struct recording *recording, struct cgroup_table **ret_table);
void cgroup_table_destroy(struct cgroup_table *table);

/* A list of all cgroups begins: its first record is that of the root. */
void cgroup_table_begin_list(struct cgroup_table *table);
void cgroup_table_end_list(struct cgroup_table *table); /* it was complete */
void cgroup_table_take(struct cgroup_table *table, const struct ring_cgroup *record);
/*
 * Cgroups that were removed before the previous call may be forgotten: no record of a task in them
 * is left.
 */
void cgroup_table_pass(struct cgroup_table *table);

/* A task of an event is in this cgroup; 0: not known. Does nothing if `table` is NULL. */
void cgroup_table_see(struct cgroup_table *table, uint64_t id);
/* At the end: writes those that tasks were in and that were not described. */
void cgroup_table_finish(struct cgroup_table *table);

/* Writes all again that were written and are still known; with --flight, one that is forgotten is written once more. */
void cgroup_table_tell(struct cgroup_table *table);

/*
 * How many had no room; whether the root of the list has cgroups above it, which are of another
 * namespace.
 */
uint64_t cgroup_table_left_out(const struct cgroup_table *table);
bool cgroup_table_is_below(const struct cgroup_table *table);

/*
 * Follows the control groups of the host: asks a helper for a list of them at the start, and again
 * if records were lost, and reads from a ring which ones are made and removed. All of it goes to
 * the table (cgroup_table.h).
 */

/* Asks for the list. 0, -errno. */
int cgroups_create(struct cgroup_table *table, const struct probe *probe, struct spawner *spawner,
		   struct cgroups **ret_cgroups);
void cgroups_destroy(struct cgroups *cgroups);

/* Takes what the ring has. Call it before taking records of tasks, which may be in new cgroups. */
void cgroups_take(struct cgroups *cgroups);
/*
 * Takes the part of the list that has arrived, or arrives in that time. True: nothing is missing,
 * or it will never arrive.
 */
bool cgroups_step(struct cgroups *cgroups, unsigned int budget_ms);
/* Whether the list is complete. */
bool cgroups_are_listed(const struct cgroups *cgroups);

#endif
