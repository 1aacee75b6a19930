/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/cache/name_place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"

enum { HEADER_SIZE = 100, APPLICATION_ID_PLACE = 68, LEAST_PAGE = 512, MOST_PAGE = 65536 };

static int refuse(int error, const char *why, const char **ret_why)
{
	*ret_why = why;
	return -error;
}

/* The folder of a path; "." if it has none. -ENAMETOOLONG. */
static int folder_of(const char *path, char folder[static PATH_MAX])
{
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) : 0;

	if (strlen(path) >= PATH_MAX - 16) /* sqlite appends "-journal" */
		return -ENAMETOOLONG;
	if (!length) {
		path = slash ? "/" : ".";
		length = 1;
	}
	memcpy(folder, path, length);
	folder[length] = '\0';
	return 0;
}

static int check_folder(const char *path, const char **ret_why)
{
	char folder[PATH_MAX];
	struct stat status;
	int r = folder_of(path, folder);

	if (r < 0)
		return r;
	if (stat(folder, &status) < 0)
		return -errno;
	if (!geteuid() && status.st_uid)
		return refuse(EPERM, "root creates no files in another user's directory", ret_why);
	return 0;
}

/* The file is empty, or its header has our id, or sqlite emptied it: one page without an id. */
static bool is_ours(int fd, off_t size, bool *ret_named)
{
	static const char magic[] = "SQLite format 3";
	uint8_t header[HEADER_SIZE];
	uint32_t id = 0;

	*ret_named = false;
	if (!size)
		return true;
	if (pread(fd, header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header, magic, sizeof(magic)) != 0)
		return false;
	for (int i = 0; i < 4; i++)
		id = id << 8 | header[APPLICATION_ID_PLACE + i];
	*ret_named = id == NAME_APPLICATION_ID;
	return *ret_named || (!id && size >= LEAST_PAGE && size <= MOST_PAGE);
}

static int check_file(int fd, bool *ret_named, const char **ret_why)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return refuse(EMEDIUMTYPE, "it is not a regular file", ret_why);
	if (status.st_uid != geteuid())
		return refuse(EPERM, "it belongs to another user", ret_why);
	if (!is_ours(fd, status.st_size, ret_named))
		return refuse(EMEDIUMTYPE, "it is not a cache of rwalker-report", ret_why);
	return 0;
}

int name_place_check(const char *path, bool *ret_named, const char **ret_why)
{
	_cleanup_close_ int fd = -1;
	int r;

	*ret_why = NULL;
	r = check_folder(path, ret_why);
	if (r < 0)
		return r;
	fd = open(path, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? -errno : check_file(fd, ret_named, ret_why);
}

/* Creates each missing folder of the path. */
static int make_folders(const char *path)
{
	char folder[PATH_MAX];
	int r = folder_of(path, folder);

	if (r < 0)
		return r;
	for (char *at = folder + 1;; at++) {
		const char old = *at;

		if (old && old != '/')
			continue;
		*at = '\0';
		if (mkdir(folder, 0700) < 0 && errno != EEXIST &&
		    (!old || (errno != EACCES && errno != EROFS && errno != EPERM)))
			return -errno;
		*at = old;
		if (!old)
			return 0;
	}
}

int name_place_make(const char *path, bool folders, bool *ret_named, const char **ret_why)
{
	int fd, r;

	*ret_why = NULL;
	r = folders ? make_folders(path) : 0;
	if (!r)
		r = check_folder(path, ret_why);
	if (r < 0)
		return r;
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 && errno != EEXIST)
		return -errno;
	if (fd >= 0)
		(void)close(fd);
	return name_place_check(path, ret_named, ret_why);
}
