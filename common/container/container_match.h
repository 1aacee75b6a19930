/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What people type to choose control groups and containers: one meaning for both programs. */
#ifndef RWALKER_COMMON_CONTAINER_CONTAINER_MATCH_H
#define RWALKER_COMMON_CONTAINER_CONTAINER_MATCH_H

#include <stdbool.h>

/*
 * Whether the pattern fits a control group or one above it. A pattern with a '/' is compared to
 * their paths, any other to their names. It may begin with the usual mount point.
 */
bool cgroup_path_fits(const char *pattern, const char *path);

/* Whether the pattern fits a container's id, or is the beginning of that, or its pod's uid; id "": none. */
bool container_fits(const char *pattern, const char *id, const char *pod);

#endif
