/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The control groups of the host, by id, as the programs report them (bpf/ring_cgroup.h). Those
 * that a task was in are written to the trace once, and once more when they are removed. Memory is
 * fixed: if the table is full, those that were removed are forgotten; if there are still too many,
 * the rest have no paths.
 */
#ifndef RWALKER_RECORD_CGROUP_CGROUP_TABLE_H
#define RWALKER_RECORD_CGROUP_CGROUP_TABLE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

struct cgroup_table;
struct recording;
struct ring_cgroup;

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

#endif
