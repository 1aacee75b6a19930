/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which control groups --cgroup and --container choose, as ids for the programs: the topmost ones
 * that match. Those below them are included, also those that are made there later. Looked up once,
 * at the start, in the cgroup v2 file system.
 */
#ifndef RWALKER_RECORD_CGROUP_CGROUP_CHOICE_H
#define RWALKER_RECORD_CGROUP_CGROUP_CHOICE_H

#include "record/plan/filter.h"

/* Fills filter->cgroups; nothing if neither option was given. 0, or -errno after reporting what there is instead. */
int cgroup_choice_make(const struct record_who *who, struct filter_cgroups *cgroups);

#endif
