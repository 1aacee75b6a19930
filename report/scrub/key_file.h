/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The file of --scrub-key and --unscrub: a key, and all names that were replaced with it so far.
 * Whoever can read the file can translate all traces that were scrubbed with it, so only its owner
 * can (mode 0600). It is never changed in place: key_file_open() locks it and prepares its
 * successor next to it, key_file_write() fills the successor, and key_file_close() renames it. All
 * files are opened at once, so a process that may open none can do the rest.
 *
 * Text: a line that identifies the format, "key" and the key in hexadecimal digits, then a line
 * "CLASS PSEUDONYM NAME" for each name, with control characters and backslashes as \xNN.
 */
#ifndef RWALKER_REPORT_SCRUB_KEY_FILE_H
#define RWALKER_REPORT_SCRUB_KEY_FILE_H

#include <stdbool.h>

#include "report/scrub/pseudonyms.h"

struct key_file {
	const char *path; /* the caller's; NULL: no file, the key is forgotten */
	int fd;		  /* must be -1 before the file is opened */
	int next_fd;	  /* likewise; -1: read only */
	char *next_path;
};

enum key_file_use {
	KEY_FILE_GROWS, /* created if there is none */
	KEY_FILE_READ,
};

/* 0, or -errno after reporting why. Refuses files that are not regular, not the user's, or readable by others. */
int key_file_open(const char *path, enum key_file_use use, struct key_file *ret_file);

/*
 * A table with the file's key and names; with a new key if the file is empty or `file->path` is
 * NULL. 0, or -errno after reporting why.
 */
int key_file_read(const struct key_file *file, struct pseudonyms **ret_names);

/* Writes the successor, with all names. May be called again. 0, or -errno after reporting why. */
int key_file_write(const struct key_file *file, const struct pseudonyms *names);

/* Replaces the file with its successor if `is_written`, else removes that. 0, or -errno after reporting why. */
int key_file_close(struct key_file *file, bool is_written);

#endif
