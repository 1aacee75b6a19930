/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/file/database.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "common/hash_map.h"
#include "common/printable.h"
#include "common/process.h"

/*
 * A file system for sqlite (sqlite.org/vfs.html) that has one file, an open descriptor, which can
 * be opened once as a database. It has no names: any other file, a journal or a temporary one, does
 * not exist and cannot be created. So a process that may not open files can write a database.
 */
struct database_file {
	sqlite3_vfs system;
	int fd;
	int error; /* errno of the last failed call; 0 if none failed */
	bool opened;
};

enum { NAME_ROOM = 64, SECTOR = 4096 };

struct handle { /* what sqlite allocates for an open file */
	sqlite3_file base;
	struct database_file *file;
};

static struct database_file *file_of(sqlite3_file *handle)
{
	return ((struct handle *)handle)->file;
}

static int fail(struct database_file *file, int code)
{
	file->error = errno;
	return errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? SQLITE_FULL : code;
}

/* --- an open file --- */

static int close_handle(sqlite3_file *handle)
{
	file_of(handle)->opened = false;
	return SQLITE_OK;
}

/* Bytes after the end of the file read as zeros; SQLITE_IOERR_SHORT_READ says that there were some. */
static int read_part(sqlite3_file *handle, void *bytes, int size, sqlite3_int64 offset)
{
	struct database_file *file = file_of(handle);
	ssize_t got = descriptor_read(file->fd, bytes, (size_t)size, (uint64_t)offset);

	if (got < 0) {
		errno = (int)-got;
		return fail(file, SQLITE_IOERR_READ);
	}
	memset((char *)bytes + got, 0, (size_t)(size - got));
	return got < size ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

static int write_part(sqlite3_file *handle, const void *bytes, int size, sqlite3_int64 offset)
{
	struct database_file *file = file_of(handle);
	const uint8_t *from = bytes;
	size_t left = (size_t)size;

	while (left) {
		ssize_t written = pwrite(file->fd, from, left, offset);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return fail(file, SQLITE_IOERR_WRITE);
		from += written;
		offset += written;
		left -= (size_t)written;
	}
	return SQLITE_OK;
}

static int cut(sqlite3_file *handle, sqlite3_int64 size)
{
	struct database_file *file = file_of(handle);

	return ftruncate(file->fd, size) < 0 ? fail(file, SQLITE_IOERR_TRUNCATE) : SQLITE_OK;
}

static int measure(sqlite3_file *handle, sqlite3_int64 *ret_size)
{
	struct database_file *file = file_of(handle);
	struct stat status;

	if (fstat(file->fd, &status) < 0)
		return fail(file, SQLITE_IOERR_FSTAT);
	*ret_size = status.st_size;
	return SQLITE_OK;
}

/* For syncs and locks: nobody else knows the file, because it has no name yet. */
static int do_nothing(sqlite3_file *handle, int what)
{
	(void)handle;
	(void)what;
	return SQLITE_OK;
}

static int is_locked(sqlite3_file *handle, int *ret_locked)
{
	(void)handle;
	*ret_locked = 0;
	return SQLITE_OK;
}

static int control(sqlite3_file *handle, int what, void *value)
{
	(void)handle;
	(void)what;
	(void)value;
	return SQLITE_NOTFOUND;
}

static int sector_size(sqlite3_file *handle)
{
	(void)handle;
	return SECTOR;
}

static int characteristics(sqlite3_file *handle)
{
	(void)handle;
	return 0;
}

static const sqlite3_io_methods methods = {
	.iVersion = 1,
	.xClose = close_handle,
	.xRead = read_part,
	.xWrite = write_part,
	.xTruncate = cut,
	.xSync = do_nothing,
	.xFileSize = measure,
	.xLock = do_nothing,
	.xUnlock = do_nothing,
	.xCheckReservedLock = is_locked,
	.xFileControl = control,
	.xSectorSize = sector_size,
	.xDeviceCharacteristics = characteristics,
};

/* --- the file system --- */

static int open_handle(sqlite3_vfs *system, const char *name, sqlite3_file *handle, int flags, int *ret_flags)
{
	struct database_file *file = system->pAppData;

	(void)name;
	handle->pMethods = NULL;
	if (!(flags & SQLITE_OPEN_MAIN_DB) || file->opened)
		return SQLITE_CANTOPEN;
	file->opened = true;
	((struct handle *)handle)->file = file;
	handle->pMethods = &methods;
	if (ret_flags)
		*ret_flags = flags;
	return SQLITE_OK;
}

static int delete_name(sqlite3_vfs *system, const char *name, int sync)
{
	(void)system;
	(void)name;
	(void)sync;
	return SQLITE_IOERR_DELETE_NOENT;
}

static int has_name(sqlite3_vfs *system, const char *name, int flags, int *ret_has)
{
	(void)system;
	(void)name;
	(void)flags;
	*ret_has = 0;
	return SQLITE_OK;
}

static int full_name(sqlite3_vfs *system, const char *name, int room, char *out)
{
	size_t length = strlen(name);

	(void)system;
	if (room < 0 || length >= (size_t)room)
		return SQLITE_CANTOPEN;
	memcpy(out, name, length + 1);
	return SQLITE_OK;
}

static int draw(sqlite3_vfs *system, int size, char *out)
{
	(void)system;
	return size > 0 && !random_bytes(out, (size_t)size) ? size : 0;
}

static int sleep_not(sqlite3_vfs *system, int microseconds)
{
	(void)system;
	(void)microseconds;
	return 0;
}

/* Nothing in the schema uses the date. */
static int no_date(sqlite3_vfs *system, double *ret_days)
{
	(void)system;
	*ret_days = 0;
	return SQLITE_OK;
}

static int last_error(sqlite3_vfs *system, int room, char *out)
{
	const struct database_file *file = system->pAppData;

	(void)room;
	(void)out;
	return file->error;
}

static int register_file(struct database_file *file, int fd)
{
	*file = (struct database_file){.fd = fd};
	file->system = (sqlite3_vfs){
		.iVersion = 1,
		.szOsFile = sizeof(struct handle),
		.mxPathname = NAME_ROOM,
		.zName = "descriptor",
		.pAppData = file,
		.xOpen = open_handle,
		.xDelete = delete_name,
		.xAccess = has_name,
		.xFullPathname = full_name,
		.xRandomness = draw,
		.xSleep = sleep_not,
		.xCurrentTime = no_date,
		.xGetLastError = last_error,
	};
	return sqlite3_vfs_register(&file->system, 0) == SQLITE_OK ? 0 : -ENOMEM;
}

/* --- database --- */

enum {
	STATEMENT_ROOM = 256,
	ESCAPE = 4,
	LOCK_WAIT_MS = 2000,
	STEPS_MAX = 200, /* of ... */
	STEP = 1000000,	 /* ... virtual machine instructions: a second or two */
	VALUE_MAX = 128 << 20,
};

struct database {
	struct database_file file; /* of database_create() */
	sqlite3 *handle;
	unsigned int steps; /* of the running query, of database_open() */
};

struct database_query {
	struct database *database;
	sqlite3_stmt *statement;
	int column, columns; /* values given so far, of all */
	int failed;
	char *safe; /* room for a printable copy */
	size_t room;
};

static int error_of(const struct database *database, int code)
{
	static const struct {
		int code, error;
	} errors[] = {
		{SQLITE_BUSY, EBUSY}, {SQLITE_LOCKED, EBUSY}, {SQLITE_PROTOCOL, EBUSY}, {SQLITE_FULL, ENOSPC},
		{SQLITE_READONLY, EROFS}, {SQLITE_PERM, EACCES}, {SQLITE_AUTH, EACCES}, {SQLITE_CORRUPT, EBADMSG},
		{SQLITE_NOTADB, EBADMSG}, {SQLITE_FORMAT, EBADMSG}, {SQLITE_NOMEM, ENOMEM}, {SQLITE_INTERRUPT, ETIME},
		{SQLITE_ERROR, EINVAL}, {SQLITE_SCHEMA, EINVAL}, {SQLITE_CONSTRAINT, EINVAL}, {SQLITE_RANGE, EINVAL},
		{SQLITE_TOOBIG, E2BIG}, {SQLITE_IOERR_NOMEM, ENOMEM},
	};
	int system = database->file.error;

	if (code == SQLITE_OK || code == SQLITE_DONE)
		return 0;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i].code == code || errors[i].code == (code & 0xff))
			return -errors[i].error;
	if (!system && database->handle)
		system = sqlite3_system_errno(database->handle);
	return system > 0 ? -system : -EIO;
}

static int open_database(struct database *database, const char *name, int flags)
{
	const char *system = database->file.system.zName; /* NULL: that of the library */

	return error_of(database, sqlite3_open_v2(name, &database->handle, flags, system));
}

/* Nothing can be rolled back, and nothing needs to be, because the file has no name until it is complete. */
static const char settings_of_new[] = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
				      "PRAGMA locking_mode = EXCLUSIVE; PRAGMA temp_store = MEMORY;"
				      "PRAGMA cache_size = -65536; BEGIN";

int database_create(int fd, struct database **ret_database)
{
	struct database *database = calloc(1, sizeof(*database));
	int r;

	if (!database)
		return -ENOMEM;
	r = register_file(&database->file, fd);
	if (r < 0) {
		free(database);
		return r;
	}
	r = open_database(database, "output", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
					    SQLITE_OPEN_PRIVATECACHE);
	if (!r)
		r = database_run(database, settings_of_new);
	if (r < 0)
		database_destroy(database);
	else
		*ret_database = database;
	return r;
}

/* Called by sqlite every STEP instructions; true ends the query. */
static int takes_too_long(void *context)
{
	struct database *database = context;

	return database->steps++ >= STEPS_MAX;
}

/* A power failure may damage the file. */
static const char settings_of_shared[] = "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;"
					 "PRAGMA mmap_size = 0; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY";

int database_open(const char *path, struct database **ret_database)
{
	struct database *database = calloc(1, sizeof(*database));
	int r;

	if (!database)
		return -ENOMEM;
	r = open_database(database, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_EXRESCODE);
	if (!r) {
		(void)sqlite3_limit(database->handle, SQLITE_LIMIT_LENGTH, VALUE_MAX);
		(void)sqlite3_db_config(database->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
		(void)sqlite3_db_config(database->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
		(void)sqlite3_db_config(database->handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
		(void)sqlite3_busy_timeout(database->handle, LOCK_WAIT_MS);
		sqlite3_progress_handler(database->handle, STEP, takes_too_long, database);
		(void)database_run(database, settings_of_shared); /* of a damaged file, the first query says so */
	}
	if (r < 0)
		database_destroy(database);
	else
		*ret_database = database;
	return r;
}

void database_destroy(struct database *database)
{
	if (!database)
		return;
	(void)sqlite3_close(database->handle);
	if (database->file.system.zName)
		(void)sqlite3_vfs_unregister(&database->file.system);
	free(database);
}

int database_finish(struct database *database)
{
	return database_run(database, "COMMIT");
}

int database_run(struct database *database, const char *statements)
{
	database->steps = 0;
	return error_of(database, sqlite3_exec(database->handle, statements, NULL, NULL, NULL));
}

int database_empty(struct database *database)
{
	int r;

	(void)sqlite3_db_config(database->handle, SQLITE_DBCONFIG_RESET_DATABASE, 1, NULL);
	r = database_run(database, "VACUUM");
	(void)sqlite3_db_config(database->handle, SQLITE_DBCONFIG_RESET_DATABASE, 0, NULL);
	return r;
}

/* --- queries --- */

int database_query_create(struct database *database, const char *statement, struct database_query **ret_query)
{
	struct database_query *query = calloc(1, sizeof(*query));
	int r;

	if (!query)
		return -ENOMEM;
	database->steps = 0;
	query->database = database;
	r = error_of(database, sqlite3_prepare_v2(database->handle, statement, -1, &query->statement, NULL));
	if (r < 0) {
		free(query);
		return r;
	}
	query->columns = sqlite3_bind_parameter_count(query->statement);
	*ret_query = query;
	return 0;
}

int database_insert_create(struct database *database, const char *table, int columns,
			   struct database_query **ret_query)
{
	char statement[STATEMENT_ROOM];
	int length = snprintf(statement, sizeof(statement), "INSERT INTO %s VALUES(?", table);

	for (int i = 1; i < columns && length < STATEMENT_ROOM; i++)
		length += snprintf(statement + length, (size_t)(STATEMENT_ROOM - length), ",?");
	if (length < STATEMENT_ROOM)
		length += snprintf(statement + length, (size_t)(STATEMENT_ROOM - length), ")");
	return length < STATEMENT_ROOM ? database_query_create(database, statement, ret_query) : -E2BIG;
}

void database_query_destroy(struct database_query *query)
{
	if (!query)
		return;
	(void)sqlite3_finalize(query->statement);
	free(query->safe);
	free(query);
}

static void keep_failure(struct database_query *query, int code)
{
	if (code != SQLITE_OK && !query->failed)
		query->failed = error_of(query->database, code);
}

void database_number(struct database_query *query, uint64_t number)
{
	int64_t value = number < INT64_MAX ? (int64_t)number : INT64_MAX;

	keep_failure(query, sqlite3_bind_int64(query->statement, ++query->column, value));
}

void database_nothing(struct database_query *query)
{
	keep_failure(query, sqlite3_bind_null(query->statement, ++query->column));
}

void database_word(struct database_query *query, const char *word)
{
	if (word)
		keep_failure(query,
			     sqlite3_bind_text(query->statement, ++query->column, word, -1, SQLITE_STATIC));
	else
		database_nothing(query);
}

void database_text(struct database_query *query, const char *text)
{
	size_t length = text ? strlen(text) : 0, room;

	if (!text) {
		database_nothing(query);
		return;
	}
	query->column++;
	if (__builtin_mul_overflow(length, ESCAPE, &room) || __builtin_add_overflow(room, 1, &room) ||
	    array_reserve_raw((void **)&query->safe, &query->room, room, 1) < 0) {
		keep_failure(query, SQLITE_NOMEM);
		return;
	}
	length = printable_escape(query->safe, query->room, text, length);
	keep_failure(query, sqlite3_bind_text64(query->statement, query->column, query->safe, length,
						SQLITE_TRANSIENT, SQLITE_UTF8));
}

/* A valid address even if there are none: NULL would mean nothing. */
void database_bytes(struct database_query *query, const void *bytes, size_t size)
{
	keep_failure(query, sqlite3_bind_blob64(query->statement, ++query->column, size ? bytes : "", size,
						SQLITE_STATIC));
}

int database_next(struct database_query *query)
{
	int code;

	if (query->failed || query->column != query->columns)
		return query->failed ? query->failed : -EINVAL;
	query->database->steps = 0;
	code = sqlite3_step(query->statement);
	return code == SQLITE_ROW ? 1 : error_of(query->database, code);
}

int database_row(struct database_query *query)
{
	int r = database_next(query);

	query->column = 0;
	(void)sqlite3_reset(query->statement);
	return r;
}

int64_t database_number_at(struct database_query *query, int column)
{
	return sqlite3_column_int64(query->statement, column);
}

const char *database_text_at(struct database_query *query, int column)
{
	const unsigned char *text = sqlite3_column_text(query->statement, column);

	return text ? (const char *)text : "";
}

const void *database_bytes_at(struct database_query *query, int column, size_t *ret_size)
{
	const void *bytes = sqlite3_column_blob(query->statement, column);

	*ret_size = bytes ? (size_t)sqlite3_column_bytes(query->statement, column) : 0;
	return bytes ? bytes : "";
}

const char *database_version(void)
{
	return sqlite3_libversion();
}
