/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The door to sqlite: one database file and queries on it, errors as -errno. The file may be
 * hostile: its schema is not trusted, nothing of it is mapped, and a query that takes too long is
 * aborted. It uses a rollback journal, so it works where memory cannot be shared, as on a network
 * file system, and is never split over two files. Other processes may use it at the same time; we
 * wait up to two seconds for a lock.
 *
 * -EBUSY: locked for longer; -ENOSPC; -EROFS; -EBADMSG: not a database, or damaged; -ETIME:
 * aborted; -ENOMEM; -EIO; -EINVAL: the query does not fit the schema.
 */
#ifndef RWALKER_REPORT_RESOLVE_CACHE_SQLITE_FILE_H
#define RWALKER_REPORT_RESOLVE_CACHE_SQLITE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sqlite_file;
struct sqlite_query;

/* The file must exist. Nothing is read from it before the first query. */
int sqlite_file_open(const char *path, struct sqlite_file **ret_file);
void sqlite_file_close(struct sqlite_file *file);

/* Runs one or more statements that return no rows. */
int sqlite_file_run(struct sqlite_file *file, const char *statements);
/* Runs a query that returns one number. */
int sqlite_file_number(struct sqlite_file *file, const char *statement, int64_t *ret_number);
/* Replaces the content, whatever it is, with an empty database, under the file's locks. */
int sqlite_file_reset(struct sqlite_file *file);

/* `statement` has ?1, ?2 ... for values. */
int sqlite_query_create(struct sqlite_file *file, const char *statement, struct sqlite_query **ret_query);
void sqlite_query_destroy(struct sqlite_query *query);

/*
 * Values are owned by the caller and must stay valid until the query is destroyed. If one does not
 * fit, sqlite_query_next() fails.
 */
void sqlite_query_set_number(struct sqlite_query *query, int place, int64_t number);
void sqlite_query_set_bytes(struct sqlite_query *query, int place, const void *bytes, size_t size);
void sqlite_query_set_text(struct sqlite_query *query, int place, const char *text);

/* 1: a row; 0: no more rows. */
int sqlite_query_next(struct sqlite_query *query);

/*
 * Columns of the row, from 0. Valid until the next row. Text is NUL-terminated, but may contain
 * NULs and invalid UTF-8.
 */
int64_t sqlite_query_number(struct sqlite_query *query, int column);
const void *sqlite_query_bytes(struct sqlite_query *query, int column, size_t *ret_size);
const char *sqlite_query_text(struct sqlite_query *query, int column);

const char *sqlite_file_version(void); /* version of the library */

#endif
