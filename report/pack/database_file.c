/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/pack/database_file.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/hash_map.h"

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
	uint8_t *to = bytes;
	size_t left = (size_t)size;

	while (left) {
		ssize_t got = pread(file->fd, to, left, offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return fail(file, SQLITE_IOERR_READ);
		if (!got) {
			memset(to, 0, left);
			return SQLITE_IOERR_SHORT_READ;
		}
		to += got;
		offset += got;
		left -= (size_t)got;
	}
	return SQLITE_OK;
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

int database_file_register(struct database_file *file, int fd)
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

void database_file_unregister(struct database_file *file)
{
	(void)sqlite3_vfs_unregister(&file->system);
}
