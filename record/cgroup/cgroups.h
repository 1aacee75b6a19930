/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Follows the control groups of the host: asks a helper for a list of them at the start, and again
 * if records were lost, and reads from a ring which ones are made and removed. All of it goes to
 * the table (cgroup_table.h).
 */
#ifndef RWALKER_RECORD_CGROUP_CGROUPS_H
#define RWALKER_RECORD_CGROUP_CGROUPS_H

#include <stdbool.h>

struct cgroup_table;
struct cgroups;
struct spawner;
struct probe;

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
