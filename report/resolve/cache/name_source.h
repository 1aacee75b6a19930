/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What an answer was made from, as a line of text: the cache uses it as a key, to know whether the
 * answer would be the same today. The resolver builds it: its rank (larger: more content; the
 * caller chooses it, from 1), and everything on which the answer depends: each file, the resolver's
 * version, options. Two sources are equal if their ranks and texts are. If the text does not fit,
 * nothing is cached for the source.
 */
#ifndef RWALKER_REPORT_RESOLVE_CACHE_NAME_SOURCE_H
#define RWALKER_REPORT_RESOLVE_CACHE_NAME_SOURCE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "common/elf/elf_file.h"

struct name_source {
	uint32_t rank;
	char text[1024]; /* NUL-terminated */
	size_t used;
	bool full;
};

/* `what` names the resolver and its version: "dwarf 1". */
void name_source_start(struct name_source *source, uint32_t rank, const char *what);
/* Adds path, device, inode, ctime and size. The caller has checked that only the user can write it (file_owner.h). */
void name_source_add_file(struct name_source *source, const char *path, const struct stat *status);
void name_source_add_build_id(struct name_source *source, const struct build_id *id);
void name_source_add_text(struct name_source *source, const char *text);

#endif
