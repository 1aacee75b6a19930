/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/cache/sqlite_file.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "common/cleanup.h"

enum {
	LOCK_WAIT_MS = 2000,
	STEPS_MAX = 200, /* of ... */
	STEP = 1000000,	 /* ... virtual machine instructions: a second or two */
	VALUE_MAX = 128 << 20,
};

struct sqlite_file {
	sqlite3 *handle;
	unsigned int steps; /* of the running query */
};

struct sqlite_query {
	sqlite3_stmt *statement;
	struct sqlite_file *file;
	int failed; /* error of a value that could not be set */
};

static int error_of(const struct sqlite_file *file, int code)
{
	static const struct {
		int code, error;
	} errors[] = {
		{SQLITE_BUSY, EBUSY}, {SQLITE_LOCKED, EBUSY}, {SQLITE_PROTOCOL, EBUSY},
		{SQLITE_FULL, ENOSPC}, {SQLITE_READONLY, EROFS}, {SQLITE_PERM, EACCES},
		{SQLITE_AUTH, EACCES}, {SQLITE_CORRUPT, EBADMSG}, {SQLITE_NOTADB, EBADMSG},
		{SQLITE_FORMAT, EBADMSG}, {SQLITE_NOMEM, ENOMEM}, {SQLITE_INTERRUPT, ETIME},
		{SQLITE_ERROR, EINVAL}, {SQLITE_SCHEMA, EINVAL}, {SQLITE_TOOBIG, E2BIG},
		{SQLITE_CONSTRAINT, EEXIST},
	};
	int system = file->handle ? sqlite3_system_errno(file->handle) : 0;

	if (code == SQLITE_OK || code == SQLITE_DONE)
		return 0;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i].code == (code & 0xff))
			return -errors[i].error;
	return system > 0 ? -system : -EIO;
}

/* Called by sqlite every STEP instructions; true ends the query. */
static int give_up(void *context)
{
	struct sqlite_file *file = context;

	return file->steps++ >= STEPS_MAX;
}

static int configure(struct sqlite_file *file)
{
	/*
	 * Everything is read once: no pages are cached. A power failure may damage the file: then
	 * it is created again, and no answer is used without checking its checksum.
	 */
	static const char settings[] = "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;"
				       "PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -64;";

	(void)sqlite3_limit(file->handle, SQLITE_LIMIT_LENGTH, VALUE_MAX);
	(void)sqlite3_db_config(file->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	(void)sqlite3_db_config(file->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	(void)sqlite3_db_config(file->handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	(void)sqlite3_busy_timeout(file->handle, LOCK_WAIT_MS);
	sqlite3_progress_handler(file->handle, STEP, give_up, file);
	return sqlite_file_run(file, settings);
}

static void cleanup_file(struct sqlite_file **file)
{
	sqlite_file_close(*file);
}

int sqlite_file_open(const char *path, struct sqlite_file **ret_file)
{
	_cleanup_(cleanup_file) struct sqlite_file *file = calloc(1, sizeof(*file));
	int r;

	if (!file)
		return -ENOMEM;
	r = error_of(file, sqlite3_open_v2(path, &file->handle,
					   SQLITE_OPEN_READWRITE | SQLITE_OPEN_EXRESCODE, NULL));
	if (!r)
		r = configure(file);
	if (!r)
		*ret_file = steal_ptr(file);
	return r;
}

void sqlite_file_close(struct sqlite_file *file)
{
	if (!file)
		return;
	(void)sqlite3_close_v2(file->handle);
	free(file);
}

int sqlite_file_run(struct sqlite_file *file, const char *statements)
{
	file->steps = 0;
	return error_of(file, sqlite3_exec(file->handle, statements, NULL, NULL, NULL));
}

static void cleanup_query(struct sqlite_query **query)
{
	sqlite_query_destroy(*query);
}

int sqlite_file_number(struct sqlite_file *file, const char *statement, int64_t *ret_number)
{
	_cleanup_(cleanup_query) struct sqlite_query *query = NULL;
	int r = sqlite_query_create(file, statement, &query);

	if (!r)
		r = sqlite_query_next(query);
	if (!r)
		return -EBADMSG;
	if (r > 0)
		*ret_number = sqlite_query_number(query, 0);
	return r < 0 ? r : 0;
}

int sqlite_file_reset(struct sqlite_file *file)
{
	int r;

	(void)sqlite3_db_config(file->handle, SQLITE_DBCONFIG_RESET_DATABASE, 1, NULL);
	r = sqlite_file_run(file, "VACUUM");
	(void)sqlite3_db_config(file->handle, SQLITE_DBCONFIG_RESET_DATABASE, 0, NULL);
	return r;
}

int sqlite_query_create(struct sqlite_file *file, const char *statement, struct sqlite_query **ret_query)
{
	_cleanup_(cleanup_query) struct sqlite_query *query = calloc(1, sizeof(*query));
	int r;

	if (!query)
		return -ENOMEM;
	query->file = file;
	file->steps = 0;
	r = error_of(file, sqlite3_prepare_v2(file->handle, statement, -1, &query->statement, NULL));
	if (!r)
		*ret_query = steal_ptr(query);
	return r;
}

void sqlite_query_destroy(struct sqlite_query *query)
{
	if (!query)
		return;
	(void)sqlite3_finalize(query->statement);
	free(query);
}

static void keep_failure(struct sqlite_query *query, int code)
{
	if (code != SQLITE_OK && !query->failed)
		query->failed = error_of(query->file, code);
}

void sqlite_query_set_number(struct sqlite_query *query, int place, int64_t number)
{
	keep_failure(query, sqlite3_bind_int64(query->statement, place, number));
}

/* A valid address even for empty values: NULL would mean SQL's NULL. */
void sqlite_query_set_bytes(struct sqlite_query *query, int place, const void *bytes, size_t size)
{
	keep_failure(query, sqlite3_bind_blob64(query->statement, place, size ? bytes : "", size,
						SQLITE_STATIC));
}

void sqlite_query_set_text(struct sqlite_query *query, int place, const char *text)
{
	keep_failure(query, sqlite3_bind_text(query->statement, place, text, -1, SQLITE_STATIC));
}

int sqlite_query_next(struct sqlite_query *query)
{
	int code;

	if (query->failed)
		return query->failed;
	query->file->steps = 0;
	code = sqlite3_step(query->statement);
	return code == SQLITE_ROW ? 1 : error_of(query->file, code);
}

int64_t sqlite_query_number(struct sqlite_query *query, int column)
{
	return sqlite3_column_int64(query->statement, column);
}

const void *sqlite_query_bytes(struct sqlite_query *query, int column, size_t *ret_size)
{
	const void *bytes = sqlite3_column_blob(query->statement, column);

	*ret_size = bytes ? (size_t)sqlite3_column_bytes(query->statement, column) : 0;
	return bytes ? bytes : "";
}

const char *sqlite_query_text(struct sqlite_query *query, int column)
{
	const unsigned char *text = sqlite3_column_text(query->statement, column);

	return text ? (const char *)text : "";
}

const char *sqlite_file_version(void)
{
	return sqlite3_libversion();
}
