/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A file system for sqlite (sqlite.org/vfs.html) that has one file, an open descriptor, which can
 * be opened once as a database. It has no names: any other file, a journal or a temporary one, does
 * not exist and cannot be created. So a process that may not open files can write a database.
 */
#ifndef RWALKER_REPORT_PACK_DATABASE_FILE_H
#define RWALKER_REPORT_PACK_DATABASE_FILE_H

#include <stdbool.h>

#include <sqlite3.h>

struct database_file {
	sqlite3_vfs system;
	int fd;
	int error; /* errno of the last failed call; 0 if none failed */
	bool opened;
};

/* Registers it with sqlite under the name "descriptor". 0, -ENOMEM. */
int database_file_register(struct database_file *file, int fd);
void database_file_unregister(struct database_file *file);

#endif
