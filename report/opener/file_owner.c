/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/opener/file_owner.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A stranger can neither write to it nor, if it is a folder, replace what is ours in it. */
static bool is_safe(const struct stat *status)
{
	bool shared = status->st_mode & (S_IWGRP | S_IWOTH);

	if (status->st_uid && status->st_uid != geteuid())
		return false;
	return !shared || (S_ISDIR(status->st_mode) && (status->st_mode & S_ISVTX));
}

bool file_is_ours(int fd)
{
	char link[32], path[PATH_MAX];
	struct stat status;
	ssize_t length;
	char *slash;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	if (length <= 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || !is_safe(&status))
		return false;
	path[length] = '\0';
	while ((slash = strrchr(path, '/'))) {
		*slash = '\0';
		if (fstatat(AT_FDCWD, slash == path ? "/" : path, &status, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) < 0 ||
		    !S_ISDIR(status.st_mode) || !is_safe(&status))
			return false;
	}
	return true;
}
