/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The container that a control group belongs to, by its path: docker, containerd, CRI-O and podman write the
 * container's id, 64 hexadecimal digits, into it, each in its own way. If they are nested, the innermost counts.
 * Programs that watch one from outside, such as conmon, are in none. And what people type to choose control groups and
 * containers: one meaning for both programs.
 */
#ifndef RWALKER_COMMON_CONTAINER_H
#define RWALKER_COMMON_CONTAINER_H

#include <stdbool.h>

enum { CONTAINER_ID = 64, CONTAINER_SHORT = 12 /* of which people see */ };

/* False: the path is in no container, as far as its spelling shows. */
bool container_find(const char *path, char ret_id[static CONTAINER_ID + 1]);

/* Whether the pattern fits a container's id, or is the beginning of that; id "": none. */
bool container_fits(const char *pattern, const char *id);

/*
 * Whether the pattern fits a control group or one above it. A pattern with a '/' is compared to
 * their paths, any other to their names. It may begin with the usual mount point.
 */
bool cgroup_path_fits(const char *pattern, const char *path);

#endif
