/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/opener/open_checked.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"

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

enum { MAGIC_MAX = 6 };

static const struct magic {
	size_t length;
	char bytes[MAGIC_MAX + 1];
} elf_magic = {SELFMAG, ELFMAG}, xz_magic = {6, "\xfd" "7zXZ"}, zstd_magic = {4, "\x28\xb5\x2f\xfd"};

/* Terminated by NULL; a kind without any may begin with anything. */
static const struct magic *const magics[OPENER_KINDS][4] = {
	[OPENER_ELF] = {&elf_magic},
	[OPENER_KERNEL_MODULE] = {&elf_magic, &xz_magic, &zstd_magic},
};

static int check_magic(int fd, enum opener_kind kind)
{
	char bytes[MAGIC_MAX] = {0};
	ssize_t got = magics[kind][0] ? pread(fd, bytes, sizeof(bytes), 0) : 0;

	if (got < 0)
		return -ENOENT;
	for (size_t i = 0; magics[kind][i]; i++)
		if ((size_t)got >= magics[kind][i]->length &&
		    !memcmp(bytes, magics[kind][i]->bytes, magics[kind][i]->length))
			return 0;
	return magics[kind][0] ? -ENOEXEC : 0;
}

static int refuse(struct checked_file *file, enum opener_reason reason)
{
	file->reason = reason;
	return -EPERM;
}

/* `found` is the file, opened with O_PATH: nothing can replace it any more. */
static int reopen(int found, int *ret_fd)
{
	_cleanup_close_ int fd = -1;
	struct stat before, after;
	char link[64];

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", found);
	fd = open(link, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0 || fstat(found, &before) < 0 || fstat(fd, &after) < 0)
		return -errno;
	if (before.st_dev != after.st_dev || before.st_ino != after.st_ino || !S_ISREG(after.st_mode))
		return -ENOENT;
	*ret_fd = steal_fd(&fd);
	return 0;
}

static int open_found(int found, enum opener_kind kind, struct checked_file *file)
{
	_cleanup_close_ int fd = -1;
	struct stat status;
	int r;

	if (fstat(found, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return refuse(file, OPENER_NOT_REGULAR);
	r = reopen(found, &fd);
	if (r == -EACCES || r == -EPERM)
		return refuse(file, OPENER_NOT_READABLE);
	if (!r)
		r = check_magic(fd, kind);
	if (r < 0)
		return r;
	file->ours = file_is_ours(fd);
	file->fd = steal_fd(&fd);
	return 0;
}

static int open_regular(const struct walk_rules *rules, enum opener_kind kind, const char *path,
			struct checked_file *file)
{
	_cleanup_close_ int found = -1;
	int r = path_walk(rules, path, &found, file->real, &file->reason);

	if (r < 0)
		return r == -EPERM ? r : r == -EACCES ? refuse(file, OPENER_NOT_READABLE) : r;
	r = open_found(found, kind, file);
	if (r < 0)
		file->real[0] = '\0';
	return r;
}

/* What the user named may be a FIFO or a terminal, too. */
static int open_named(const struct walk_rules *rules, const char *path, struct checked_file *file)
{
	*rules->place = (struct walk_place){.named = walk_named(rules->settings, path)};
	file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	return file->fd < 0 ? -errno : 0;
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), wanted = strlen(end);

	return length >= wanted && !strcmp(text + length - wanted, end);
}

int open_checked(const struct walk_rules *rules, enum opener_kind kind, const char *path,
		 struct checked_file *ret_file)
{
	struct checked_file *file = ret_file;
	int r;

	file->fd = -1;
	file->ours = false;
	file->real[0] = '\0';
	if (kind == OPENER_NAMED)
		return open_named(rules, path, file);
	if (rules->settings->no_local_files && !walk_named(rules->settings, path))
		return refuse(file, OPENER_SWITCHED_OFF);
	if (kind == OPENER_MODULE_LIST && !ends_with(path, "/modules.dep"))
		return -ENOENT;
	r = open_regular(rules, kind, path, file);
	return !r || r == -ENOMEM || r == -ENOEXEC || r == -EPERM ? r : -ENOENT;
}
