/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The control groups of the host, by id: what the programs say about them (bpf/ring_cgroup.h), and
 * which of them have been written to the trace: those that a task was in, once each, and once more
 * when they are removed. Memory is fixed: if the table is full, those that were removed are
 * forgotten; if there are still too many, the rest have no paths.
 */
#ifndef RWALKER_RECORD_CGROUP_CGROUP_TABLE_H
#define RWALKER_RECORD_CGROUP_CGROUP_TABLE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

struct cgroup_table;
struct container_names;
struct recording;
struct ring_cgroup;

enum { CGROUP_TABLE_MOST = 16384 };

/* Names are asked for the containers of those that are written; NULL: they are not. -ENOMEM. */
int cgroup_table_create(struct recording *recording, struct container_names *names, struct cgroup_table **ret_table);
void cgroup_table_destroy(struct cgroup_table *table);

/* A list of all that there are begins: its first record is that of the root. */
void cgroup_table_begin_list(struct cgroup_table *table);
void cgroup_table_end_list(struct cgroup_table *table); /* it was complete */
void cgroup_table_take(struct cgroup_table *table, const struct ring_cgroup *record);
/*
 * What has been removed before the last call of this may be forgotten: no task in it has a record
 * any more.
 */
void cgroup_table_pass(struct cgroup_table *table);

/* A task of an event is in this one; 0: not known. Does nothing without a table. */
void cgroup_table_see(struct cgroup_table *table, uint64_t id);
/* At the end: writes those that tasks were in and that nobody has described. */
void cgroup_table_finish(struct cgroup_table *table);

/*
 * How many had no room; whether the root of the list has cgroups above it, which are of another
 * namespace.
 */
uint64_t cgroup_table_left_out(const struct cgroup_table *table);
bool cgroup_table_is_below(const struct cgroup_table *table);

#endif
