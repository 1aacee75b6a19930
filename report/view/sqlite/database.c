/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/sqlite/database.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/printable.h"
#include "report/view/sqlite/database_file.h"

enum { STATEMENT_ROOM = 256, ESCAPE = 4 };

struct database {
	struct database_file file;
	sqlite3 *handle;
};

struct database_insert {
	struct database *database;
	sqlite3_stmt *statement;
	int column, columns; /* filled so far, of all */
	int failed;
	char *safe; /* room for a printable copy */
	size_t room;
};

static int error_of(const struct database *database, int code)
{
	static const struct {
		int code, error;
	} errors[] = {
		{SQLITE_FULL, ENOSPC}, {SQLITE_NOMEM, ENOMEM}, {SQLITE_ERROR, EINVAL}, {SQLITE_CONSTRAINT, EINVAL},
		{SQLITE_RANGE, EINVAL}, {SQLITE_TOOBIG, E2BIG}, {SQLITE_IOERR_NOMEM, ENOMEM},
	};

	if (code == SQLITE_OK || code == SQLITE_DONE)
		return 0;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i].code == code || errors[i].code == (code & 0xff))
			return -errors[i].error;
	return database->file.error ? -database->file.error : -EIO;
}

/*
 * Nothing can be rolled back, and nothing needs to be, because the file has no
 * name until it is complete.
 */
static int configure(struct database *database)
{
	return database_run(database, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
				      "PRAGMA locking_mode = EXCLUSIVE; PRAGMA temp_store = MEMORY;"
				      "PRAGMA cache_size = -65536; BEGIN");
}

int database_create(int fd, struct database **ret_database)
{
	struct database *database = calloc(1, sizeof(*database));
	int r;

	if (!database)
		return -ENOMEM;
	r = database_file_register(&database->file, fd);
	if (r < 0) {
		free(database);
		return r;
	}
	r = error_of(database, sqlite3_open_v2("output", &database->handle, SQLITE_OPEN_READWRITE |
					       SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE,
					       database->file.system.zName));
	if (!r)
		r = configure(database);
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
	database_file_unregister(&database->file);
	free(database);
}

int database_finish(struct database *database)
{
	return database_run(database, "COMMIT");
}

int database_run(struct database *database, const char *statements)
{
	return error_of(database, sqlite3_exec(database->handle, statements, NULL, NULL, NULL));
}

/* --- rows --- */

int database_insert_create(struct database *database, const char *table, int columns,
			   struct database_insert **ret_insert)
{
	struct database_insert *insert = calloc(1, sizeof(*insert));
	char statement[STATEMENT_ROOM];
	int length = snprintf(statement, sizeof(statement), "INSERT INTO %s VALUES(?", table), r;

	if (!insert)
		return -ENOMEM;
	for (int i = 1; i < columns && length < STATEMENT_ROOM; i++)
		length += snprintf(statement + length, (size_t)(STATEMENT_ROOM - length), ",?");
	if (length < STATEMENT_ROOM)
		length += snprintf(statement + length, (size_t)(STATEMENT_ROOM - length), ")");
	insert->database = database;
	insert->columns = columns;
	r = length < STATEMENT_ROOM ? error_of(database, sqlite3_prepare_v2(database->handle, statement, -1,
									    &insert->statement, NULL)) : -E2BIG;
	if (r < 0)
		database_insert_destroy(insert);
	else
		*ret_insert = insert;
	return r;
}

void database_insert_destroy(struct database_insert *insert)
{
	if (!insert)
		return;
	(void)sqlite3_finalize(insert->statement);
	free(insert->safe);
	free(insert);
}

static void keep_failure(struct database_insert *insert, int code)
{
	if (code != SQLITE_OK && !insert->failed)
		insert->failed = error_of(insert->database, code);
}

void database_number(struct database_insert *insert, uint64_t number)
{
	int64_t value = number < INT64_MAX ? (int64_t)number : INT64_MAX;

	keep_failure(insert, sqlite3_bind_int64(insert->statement, ++insert->column, value));
}

void database_nothing(struct database_insert *insert)
{
	keep_failure(insert, sqlite3_bind_null(insert->statement, ++insert->column));
}

void database_known(struct database_insert *insert, int known, uint64_t number)
{
	if (known)
		database_number(insert, number);
	else
		database_nothing(insert);
}

void database_word(struct database_insert *insert, const char *word)
{
	if (word)
		keep_failure(insert,
			     sqlite3_bind_text(insert->statement, ++insert->column, word, -1, SQLITE_STATIC));
	else
		database_nothing(insert);
}

void database_text(struct database_insert *insert, const char *text)
{
	size_t length = text ? strlen(text) : 0, room;

	if (!text) {
		database_nothing(insert);
		return;
	}
	insert->column++;
	if (__builtin_mul_overflow(length, ESCAPE, &room) || __builtin_add_overflow(room, 1, &room) ||
	    array_reserve_raw((void **)&insert->safe, &insert->room, room, 1) < 0) {
		keep_failure(insert, SQLITE_NOMEM);
		return;
	}
	length = printable_escape(insert->safe, insert->room, text, length);
	keep_failure(insert, sqlite3_bind_text64(insert->statement, insert->column, insert->safe, length,
						 SQLITE_TRANSIENT, SQLITE_UTF8));
}

int database_row(struct database_insert *insert)
{
	int code;

	if (insert->failed || insert->column != insert->columns)
		return insert->failed ? insert->failed : -EINVAL;
	insert->column = 0;
	code = sqlite3_step(insert->statement);
	(void)sqlite3_reset(insert->statement);
	return error_of(insert->database, code);
}
