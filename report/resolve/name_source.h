/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What an answer was made from, as a line of text: the cache's key for "would it be the same today". Built by who resolves:
 * its rank (larger: more is in it; numbers are the caller's, from 1), and everything on which the answer depends: each file
 * with its size and time, the resolver's own version, options. Two sources are the same if rank and text are. One that
 * does not fit is none, and nothing is cached for it.
 */
#ifndef RWALKER_REPORT_RESOLVE_NAME_SOURCE_H
#define RWALKER_REPORT_RESOLVE_NAME_SOURCE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "common/elf_file.h"

struct name_source {
	uint32_t rank;
	char text[1024]; /* ends with NUL */
	size_t used;
	bool full;
};

/* `what` says who resolves, and its version: "dwarf 1". */
void name_source_start(struct name_source *source, uint32_t rank, const char *what);
/* By size and time of change; the path is there for people, and because other files have others. */
void name_source_add_file(struct name_source *source, const char *path, const struct stat *status);
void name_source_add_build_id(struct name_source *source, const struct build_id *id);
void name_source_add_text(struct name_source *source, const char *text);

#endif
