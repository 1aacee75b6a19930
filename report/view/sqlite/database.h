/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The interface to sqlite for writing: a new database in a file that is open and empty, filled row
 * by row in one transaction. sqlite opens no files: its only file is that descriptor
 * (database_file.h), and it sorts in memory. If anything fails, the file is useless.
 *
 * Errors are -ENOSPC, -ENOMEM, or that of the system; -EINVAL: the statement does not fit the
 * schema.
 */
#ifndef RWALKER_REPORT_VIEW_SQLITE_DATABASE_H
#define RWALKER_REPORT_VIEW_SQLITE_DATABASE_H

#include <stddef.h>
#include <stdint.h>

struct database;
struct database_insert;

/* The caller keeps the descriptor, which must allow reading and writing at any offset. */
int database_create(int fd, struct database **ret_database);
/* Abandons a database that is not finished. */
void database_destroy(struct database *database);
/* Writes what is still in memory. */
int database_finish(struct database *database);

/* Runs one or more statements that return no rows. */
int database_run(struct database *database, const char *statements);

/* Rows for a table with that many columns. */
int database_insert_create(struct database *database, const char *table, int columns,
			   struct database_insert **ret_insert);
void database_insert_destroy(struct database_insert *insert);

/* The values of the next row, from the first column on. database_row() fails if one did not fit. */
void database_number(struct database_insert *insert, uint64_t number); /* INT64_MAX at most */
void database_nothing(struct database_insert *insert);
void database_word(struct database_insert *insert, const char *word); /* printable, not copied; NULL: nothing */
void database_text(struct database_insert *insert, const char *text); /* any bytes; NULL: nothing */
/* The number if `known`, else nothing. */
void database_known(struct database_insert *insert, int known, uint64_t number);
int database_row(struct database_insert *insert);

#endif
