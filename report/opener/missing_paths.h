/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Folders and files that were found not to be there, so that nobody is asked again for them or for what would be
 * below: debug files have several places, most of them in folders that few machines have. What is made later is not
 * found any more; a report lasts seconds.
 */
#ifndef RWALKER_REPORT_OPENER_MISSING_PATHS_H
#define RWALKER_REPORT_OPENER_MISSING_PATHS_H

#include "common/hash_map.h"

struct missing_paths {
	struct hash_map paths;
};

int missing_paths_init(struct missing_paths *missing);
void missing_paths_deinit(struct missing_paths *missing);
/* Ignored if there is no memory, or if they are many. */
void missing_paths_add(struct missing_paths *missing, const char *path);
/* Whether the path, or a folder on its way, is missing. */
bool missing_paths_has(const struct missing_paths *missing, const char *path);

#endif
