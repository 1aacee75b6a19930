/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Follows a path one component at a time, as the kernel would, with one difference: before a
 * component is looked up, we know which mount is asked, and the rules may refuse that. Below what
 * the user named any mount may be entered, until a link or ".." leads out of there. Magic links of
 * procfs are not followed.
 */
#ifndef RWALKER_REPORT_OPENER_PATH_WALK_H
#define RWALKER_REPORT_OPENER_PATH_WALK_H

#include <limits.h>

#include "common/gate/open.h"
#include "report/opener/opener.h"

enum { WALK_SILENT_MAX = 4 }; /* mounts or named paths that did not answer */

/* Where a walk is, for the process that watches it. */
struct walk_place {
	uint32_t mount; /* id of the mount that is asked; 0: none that is known */
	uint32_t named; /* number of the named path that is asked, from 1; 0: none */
	uint32_t local; /* 1: the mount is of a local file system */
};

struct walk_rules {
	const struct opener_settings *settings;
	struct mount_list *mounts; /* of this process */
	int watcher;		 /* socket: to where a place is sent before it is asked; -1: none */
	struct walk_place *told; /* the last one that was sent */
	const struct walk_place *silent; /* what did not answer before */
	size_t silent_count;
};

/* Tells the watcher, unless it knows. */
void walk_tell(const struct walk_rules *rules, const struct walk_place *place);

/*
 * 0: a descriptor of what is there, opened with O_PATH; it is no link. -ENOENT and other errors of the kernel; -EPERM:
 * *ret_reason is set. ret_real: the path that led there, without links; with -ENOENT, the first part of the path that
 * does not exist; else "".
 */
int path_walk(const struct walk_rules *rules, const char *path, int *ret_fd, char ret_real[static PATH_MAX],
	      enum opener_reason *ret_reason);

/* Whether the path is one of the named files. */
bool walk_names_file(const struct opener_settings *settings, const char *path);
/* The number of the named file or folder that the path is or lies below, from 1; 0: none. */
uint32_t walk_named(const struct opener_settings *settings, const char *path);

#endif
