/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Folders and files that were found not to exist, so that neither they nor anything below them is
 * asked for again: debug files have several places, most of them in folders that few machines have.
 * What is created later is not found; a report lasts seconds.
 */
#ifndef RWALKER_REPORT_OPENER_MISSING_PATHS_H
#define RWALKER_REPORT_OPENER_MISSING_PATHS_H

#include "common/hash_map.h"

struct missing_paths {
	struct hash_map paths;
};

int missing_paths_init(struct missing_paths *missing);
void missing_paths_deinit(struct missing_paths *missing);
/* Does nothing if there is no memory, or if there are too many. */
void missing_paths_add(struct missing_paths *missing, const char *path);
/* Whether the path, or a folder on its way, is missing. */
bool missing_paths_has(const struct missing_paths *missing, const char *path);

#endif
