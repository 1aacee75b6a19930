/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Files of dumps. The recorder may not make files any more when it has something to dump, so a
 * helper process does it, as the user who owns the output: it makes a file under a temporary name
 * and hands over its descriptor; later it gives the file its name, and removes the oldest dumps
 * beyond what is kept, or removes what was not finished. Names are PREFIX-DATE-TIME.rwk. What
 * earlier recorders left under such names counts, too; what they did not finish is removed.
 *
 * There are two such processes. If the first one is killed, the other one is asked from then on.
 */
#ifndef RWALKER_RECORD_FLIGHT_DUMP_FILES_H
#define RWALKER_RECORD_FLIGHT_DUMP_FILES_H

#include <stdint.h>

#include "record/flight/forked.h"

enum { DUMP_PATH_MAX = 4096, DUMP_HELPERS = 2 };

struct dump_files { /* zeroed: closed */
	struct forked helpers[DUMP_HELPERS];
};

struct dump_files_settings {
	const char *path; /* as given with -o: a folder, or what names begin with; NULL: the default */
	uint64_t kept;	  /* dumps, at most; 0: all */
	uint64_t bytes;	  /* of all dumps together, at most; 0: any. One is always kept */
};

/* While we are root, before the recorder has anything to hide. Tries the folder. 0, or -errno after reporting why. */
int dump_files_open(struct dump_files *files, const struct dump_files_settings *settings);
/* Ends the helpers. */
void dump_files_close(struct dump_files *files);

/*
 * What follows is for one process at a time, which may be a child. 0; -EPIPE: both helpers were killed; -errno.
 * *ret_fd: a new, empty file.
 */
int dump_files_create(const struct dump_files *files, int *ret_fd);
/* Names the file; *ret_path: how. */
int dump_files_keep(const struct dump_files *files, uint64_t bytes, char ret_path[DUMP_PATH_MAX]);
/* Other limits, as in the settings, from now on. */
int dump_files_limit(const struct dump_files *files, uint64_t kept, uint64_t bytes);
/* Removes it; nothing happens if there is none. */
int dump_files_drop(const struct dump_files *files);

#endif
