/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The control group (version 2) that a task was in, and the container that it belongs to. */
#ifndef RWALKER_REPORT_PROFILE_SEAM_PROFILE_CGROUP_H
#define RWALKER_REPORT_PROFILE_SEAM_PROFILE_CGROUP_H

#include <stdbool.h>

struct profile;

struct profile_cgroup { /* texts are never NULL */
	const char *path;      /* "/system.slice/nginx.service"; "id:N" if the trace has no path for it */
	bool known;	       /* the trace has a path */
	const char *container; /* the start of its id; "": in none */
	const char *id;	       /* the full id of the container */
};

/* The path; "" if it was not recorded. */
static inline const char *profile_cgroup_path(const struct profile_cgroup *cgroup)
{
	return cgroup ? cgroup->path : "";
}

/* The container; "" if it is in none, or was not recorded. */
static inline const char *profile_container(const struct profile_cgroup *cgroup)
{
	return cgroup ? cgroup->container : "";
}

enum profile_cgroups_known {
	PROFILE_CGROUPS_NONE,	    /* no trace has them */
	PROFILE_CGROUPS_ELSEWHERE, /* version 2 was used for nothing but its root, and a host has version 1 */
	PROFILE_CGROUPS_SOME,
};

/* About all tasks, whatever the filters. */
enum profile_cgroups_known profile_cgroups_known(const struct profile *profile);

#endif
