/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The file of --scrub-key and --unscrub: a key, and every name that was replaced with it so far. Whoever reads it can
 * translate all traces that were scrubbed with it, so it is the owner's alone (mode 0600). It is never changed in
 * place: key_file_open() locks it and prepares its successor next to it, key_file_write() fills that, and
 * key_file_close() gives it the name. All files are opened at once, so that a process that may open none can do the
 * rest.
 *
 * Text: a line that says what it is, "key" and the key in hexadecimal digits, then a line "CLASS PSEUDONYM NAME" for
 * each name, with controls and backslashes as \xNN.
 */
#ifndef RWALKER_REPORT_SCRUB_KEY_FILE_H
#define RWALKER_REPORT_SCRUB_KEY_FILE_H

#include <stdbool.h>

#include "report/scrub/pseudonyms.h"

struct key_file {
	const char *path; /* the caller's; NULL: there is no file, and the key is forgotten */
	int fd;		  /* must be -1 before it is opened */
	int next_fd;	  /* likewise; -1: it is only read */
	char *next_path;
};

enum key_file_use {
	KEY_FILE_GROWS, /* it is made if there is none */
	KEY_FILE_READ,
};

/* 0, or -errno after reporting why. Refuses what is not a regular file of the user's, or what others may read. */
int key_file_open(const char *path, enum key_file_use use, struct key_file *ret_file);

/*
 * A table with the file's key and names; with a new key if the file is empty or `file->path` NULL. 0, or -errno after
 * reporting why.
 */
int key_file_read(const struct key_file *file, struct pseudonyms **ret_names);

/* Writes the successor, with all names; may be called again. 0, or -errno after reporting why. */
int key_file_write(const struct key_file *file, const struct pseudonyms *names);

/* Replaces the file by its successor if that `is_written`, else removes that. 0, or -errno after reporting why. */
int key_file_close(struct key_file *file, bool is_written);

#endif
