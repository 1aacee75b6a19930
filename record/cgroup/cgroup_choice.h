/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which control groups --cgroup and --container mean, as ids for the programs: the topmost ones
 * that fit, since what is below them is meant, too, also what is made there later. Looked up
 * once, at the start, in the file system of version 2.
 */
#ifndef RWALKER_RECORD_CGROUP_CGROUP_CHOICE_H
#define RWALKER_RECORD_CGROUP_CGROUP_CHOICE_H

#include "record/plan/filter.h"

struct nursery;

/* Fills filter->cgroups; nothing if neither option was given. 0, or -errno after reporting what there is instead. */
int cgroup_choice_make(const struct record_who *who, struct nursery *nursery, struct filter_cgroups *cgroups);

#endif
