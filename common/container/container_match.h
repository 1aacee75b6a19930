/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What people type to choose control groups and containers: one meaning for both programs. */
#ifndef RWALKER_COMMON_CONTAINER_CONTAINER_MATCH_H
#define RWALKER_COMMON_CONTAINER_CONTAINER_MATCH_H

#include <stdbool.h>

/*
 * Whether a control group is one that the pattern names, or below it. A pattern with a '/' is compared to the path and
 * to those above it, another one to the name of each; it may begin with the usual place of the mount.
 */
bool cgroup_path_fits(const char *pattern, const char *path);

/* A container by its name, for a pattern, its id or the beginning of that, or its pod's uid; id "": there is none. */
bool container_fits(const char *pattern, const char *id, const char *name, const char *pod);

#endif
