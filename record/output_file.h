/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The file that a trace is written to: created new, 0600, as the user behind sudo, never through a
 * symbolic link, never over an existing file. --force replaces a regular file of the caller's that
 * has one name, by renaming a new one over it.
 */
#ifndef RWALKER_RECORD_OUTPUT_FILE_H
#define RWALKER_RECORD_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>

enum { OUTPUT_PATH_MAX = 4096 };

struct output_file {
	int fd;
	char path[OUTPUT_PATH_MAX]; /* "-" for stdout */
	bool is_file;               /* false: stdout */
};

/* path NULL: rwalker-HOST-YYYYmmdd-HHMMSS.rwk in the working directory. 0, or -errno after reporting why. */
int output_file_open(struct output_file *output, const char *path, bool force);
void output_file_close(struct output_file *output);
/* Nothing worth keeping was written: removes the file it created. */
void output_file_discard(struct output_file *output);

#endif
