/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The door to sqlite: one database file and queries on it, errors as -errno. The file may be hostile: its schema is not
 * trusted, nothing of it is mapped, and a query that goes on without end is given up. It has a rollback journal, so that it
 * may lie where no memory can be shared, as on a network file system, and is never left in two parts. Other processes may use it
 * at the same time; a lock is waited for up to two seconds.
 *
 * -EBUSY: locked for longer; -ENOSPC; -EROFS; -EBADMSG: not a database, or damaged; -ETIME: given up; -ENOMEM; -EIO;
 * -EINVAL: the query does not fit the schema.
 */
#ifndef RWALKER_REPORT_RESOLVE_SQLITE_FILE_H
#define RWALKER_REPORT_RESOLVE_SQLITE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sqlite_file;
struct sqlite_query;

/* The file must exist. It is looked into by the first query. */
int sqlite_file_open(const char *path, struct sqlite_file **ret_file);
void sqlite_file_close(struct sqlite_file *file);

/* One or more statements that give no rows. */
int sqlite_file_run(struct sqlite_file *file, const char *statements);
/* The one number that a query gives. */
int sqlite_file_number(struct sqlite_file *file, const char *statement, int64_t *ret_number);
/* An empty database in its place, under its locks, whatever it holds. */
int sqlite_file_reset(struct sqlite_file *file);

/* `statement` has ?1, ?2 ... for values. */
int sqlite_query_create(struct sqlite_file *file, const char *statement, struct sqlite_query **ret_query);
void sqlite_query_destroy(struct sqlite_query *query);

/* Values stay the caller's, and in place until the query is destroyed. What does not fit makes sqlite_query_next() fail. */
void sqlite_query_set_number(struct sqlite_query *query, int place, int64_t number);
void sqlite_query_set_bytes(struct sqlite_query *query, int place, const void *bytes, size_t size);
void sqlite_query_set_text(struct sqlite_query *query, int place, const char *text);

/* 1: a row; 0: no more. */
int sqlite_query_next(struct sqlite_query *query);

/* Of the row; columns from 0. Valid until the next one. Text ends with NUL, but may hold others, and be no UTF-8. */
int64_t sqlite_query_number(struct sqlite_query *query, int column);
const void *sqlite_query_bytes(struct sqlite_query *query, int column, size_t *ret_size);
const char *sqlite_query_text(struct sqlite_query *query, int column);

const char *sqlite_file_version(void); /* of the library */

#endif
