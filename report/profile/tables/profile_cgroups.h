/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Control groups as numbers of the profile, and which of them the filters want. */
#ifndef RWALKER_REPORT_PROFILE_TABLES_PROFILE_CGROUPS_H
#define RWALKER_REPORT_PROFILE_TABLES_PROFILE_CGROUPS_H

#include "report/profile/tables/profile_internal.h"

/* id: that of a task in the trace; if it is 0, *ret_cgroup is NULL. 0, -ENOMEM. */
int profile_intern_cgroup(struct profile *profile, const struct trace_model *model, uint64_t id,
			  const struct profile_cgroup **ret_cgroup);
/* Whether a task in that cgroup passes --cgroup and --container. */
bool profile_cgroup_is_wanted(const struct profile_filter *filter, const struct profile_cgroup *cgroup);
void profile_free_cgroups(struct profile *profile);

#endif
