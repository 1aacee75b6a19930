/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Files of dumps. When the recorder has something to dump, it may no longer create files, so a
 * helper process does it, as the user who owns the output. The helper creates a file under a
 * temporary name and hands over its descriptor. Later it gives the file its name and removes the
 * oldest dumps beyond the limits, or it removes the unfinished file. Names are
 * PREFIX-DATE-TIME.rwk. Dumps of earlier recorders under such names count, too; files that these
 * did not finish are removed.
 *
 * The process becomes the owner of the dumps, and has no capabilities and few system calls.
 * There are two of them. If the first one is killed, the other one is asked from then on.
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
	uint64_t bytes;	  /* limit for all dumps together; 0: none. One is always kept */
};

/* Call it as root, before the recorder has anything to hide. Tries the folder. 0, or -errno after reporting why. */
int dump_files_open(struct dump_files *files, const struct dump_files_settings *settings);
/* Ends the helpers. */
void dump_files_close(struct dump_files *files);

/*
 * The functions below are for one process at a time, which may be a child. 0; -EPIPE: both helpers were killed; -errno.
 * *ret_fd: a new, empty file.
 */
int dump_files_create(const struct dump_files *files, int *ret_fd);
/* Gives the file its name. ret_path: that name. */
int dump_files_keep(const struct dump_files *files, char ret_path[DUMP_PATH_MAX]);
/* Changes the limits of the settings. */
int dump_files_limit(const struct dump_files *files, uint64_t kept, uint64_t bytes);
/* Removes the unfinished file, if there is one. */
int dump_files_drop(const struct dump_files *files);

#endif
