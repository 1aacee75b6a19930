/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Follows the control groups of the host: asks a helper for a list of them at the start, and again
 * if records were lost, and takes what is made and removed from a ring. All of it goes to the
 * table (cgroup_table.h).
 */
#ifndef RWALKER_RECORD_CGROUP_CGROUPS_H
#define RWALKER_RECORD_CGROUP_CGROUPS_H

#include <stdbool.h>

struct cgroup_table;
struct cgroups;
struct nursery;
struct probe;

/* Asks for the list. 0, -errno. */
int cgroups_create(struct cgroup_table *table, const struct probe *probe, struct nursery *nursery,
		   struct cgroups **ret_cgroups);
void cgroups_destroy(struct cgroups *cgroups);

/* Takes what the ring has: before records of tasks that may be in what was made. */
void cgroups_take(struct cgroups *cgroups);
/*
 * Takes what of the list has arrived, or arrives in that time. True: nothing is missing, or it
 * will never come.
 */
bool cgroups_step(struct cgroups *cgroups, unsigned int budget_ms);
/* Whether the list is complete. */
bool cgroups_are_listed(const struct cgroups *cgroups);

#endif
