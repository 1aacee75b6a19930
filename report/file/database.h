/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The only user of sqlite. A database is one of two kinds:
 *
 *	database_create()  a new one in a file that is open and empty, filled row by row in one
 *			   transaction. sqlite opens no files, and sorts in memory.
 *			   If anything fails, the file is useless.
 *	database_open()	   an existing file, which other processes may use at the same time, and
 *			   which may hold anything: its schema is not trusted, nothing of it is
 *			   mapped, and a query that takes too long is aborted. It has a rollback
 *			   journal, so it works where memory cannot be shared.
 *
 * Errors are -ENOSPC, -ENOMEM, or that of the system; -EINVAL: the statement does not fit the
 * schema; -EBUSY: locked for more than two seconds; -EROFS; -EBADMSG: not a database, or damaged;
 * -ETIME: aborted.
 */
#ifndef RWALKER_REPORT_FILE_DATABASE_H
#define RWALKER_REPORT_FILE_DATABASE_H

#include <stddef.h>
#include <stdint.h>

struct database;
struct database_query;

/* The caller keeps the descriptor, which must allow reading and writing at any offset. */
int database_create(int fd, struct database **ret_database);
/* Nothing is read from the file before the first query. */
int database_open(const char *path, struct database **ret_database);
/* Abandons a database that is not finished. */
void database_destroy(struct database *database);
/* Writes what is still in memory. */
int database_finish(struct database *database);

/* Runs one or more statements that return no rows. */
int database_run(struct database *database, const char *statements);
/* Replaces the content, whatever it is, with an empty database, under the file's locks. */
int database_empty(struct database *database);

/* `statement` has a ? for each value. */
int database_query_create(struct database *database, const char *statement, struct database_query **ret_query);
/* Rows for a table with that many columns. */
int database_insert_create(struct database *database, const char *table, int columns,
			   struct database_query **ret_query);
void database_query_destroy(struct database_query *query);

/* The values, from the first on. Running the query fails if one did not fit. */
void database_number(struct database_query *query, uint64_t number); /* INT64_MAX at most */
void database_nothing(struct database_query *query);
void database_word(struct database_query *query, const char *word); /* printable, not copied; NULL: nothing */
void database_text(struct database_query *query, const char *text); /* any bytes; NULL: nothing */
void database_bytes(struct database_query *query, const void *bytes, size_t size); /* not copied */

/* Runs it for the values, which must be all that it has; then the next ones can be given. It returns no rows. */
int database_row(struct database_query *query);
/* The next row of the result. 1; 0: there are no more. */
int database_next(struct database_query *query);

/* Columns of the row, from 0; valid until the next one. A text may contain NULs and invalid UTF-8. */
int64_t database_number_at(struct database_query *query, int column);
const char *database_text_at(struct database_query *query, int column);
const void *database_bytes_at(struct database_query *query, int column, size_t *ret_size);

const char *database_version(void); /* of the library */

#endif
