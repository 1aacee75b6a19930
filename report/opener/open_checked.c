/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/gate/packet.h"
#include "report/opener/opener_internal.h"

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

static const struct magic {
	size_t length;
	const char *bytes;
} elf_magic = {SELFMAG, ELFMAG}, xz_magic = {6, "\xfd" "7zXZ"}, zstd_magic = {4, "\x28\xb5\x2f\xfd"};

/* Terminated by NULL; a kind without any may begin with anything. */
static const struct magic *const magics[OPENER_KINDS][4] = {
	[OPENER_ELF] = {&elf_magic},
	[OPENER_KERNEL_MODULE] = {&elf_magic, &xz_magic, &zstd_magic},
};

static bool has_magic(int fd, enum opener_kind kind)
{
	for (size_t i = 0; magics[kind][i]; i++)
		if (file_begins_with(fd, magics[kind][i]->bytes, magics[kind][i]->length))
			return true;
	return !magics[kind][0];
}

static int refuse(struct opener_reply *reply, enum opener_reason reason)
{
	reply->reason = reason;
	return -EPERM;
}

static int open_found(int found, enum opener_kind kind, struct opener_reply *reply, int *ret_fd)
{
	_cleanup_close_ int fd = file_open_found(found, "/proc");

	if (fd == -EINVAL)
		return refuse(reply, OPENER_NOT_REGULAR);
	if (fd == -EACCES || fd == -EPERM)
		return refuse(reply, OPENER_NOT_READABLE);
	if (fd < 0)
		return fd;
	if (!has_magic(fd, kind))
		return -ENOEXEC;
	reply->ours = file_is_ours(fd);
	*ret_fd = steal_fd(&fd);
	return 0;
}

static int open_regular(const struct walk_rules *rules, enum opener_kind kind, const char *path,
			struct opener_reply *reply, int *ret_fd)
{
	_cleanup_close_ int found = -1;
	enum opener_reason reason;
	int r = path_walk(rules, path, &found, reply->path, &reason);

	if (r == -EPERM || r == -EACCES)
		return refuse(reply, r == -EPERM ? reason : OPENER_NOT_READABLE);
	if (r < 0)
		return r;
	r = open_found(found, kind, reply, ret_fd);
	if (r < 0)
		reply->path[0] = '\0';
	return r;
}

/* What the user named may be a FIFO or a terminal, too. */
static int open_named(const struct walk_rules *rules, const char *path, int *ret_fd)
{
	walk_tell(rules, &(struct walk_place){.named = walk_named(rules->settings, path)});
	*ret_fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	return *ret_fd < 0 ? -errno : 0;
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), wanted = strlen(end);

	return length >= wanted && !strcmp(text + length - wanted, end);
}

int open_checked(const struct walk_rules *rules, enum opener_kind kind, const char *path, struct opener_reply *reply,
		 int *ret_fd)
{
	int r;

	if (kind == OPENER_NAMED)
		return open_named(rules, path, ret_fd);
	if (rules->settings->no_local_files && !walk_named(rules->settings, path))
		return refuse(reply, OPENER_SWITCHED_OFF);
	if (kind == OPENER_MODULE_LIST && !ends_with(path, "/modules.dep"))
		return -ENOENT;
	r = open_regular(rules, kind, path, reply, ret_fd);
	return !r || r == -ENOMEM || r == -ENOEXEC || r == -EPERM ? r : -ENOENT;
}

/* --- the helper --------------------------------------------------------------------------------------- */

static int serve(int socket, const struct opener_job *job, struct walk_rules *rules)
{
	struct opener_reply reply = {0};
	_cleanup_close_ int fd = -1;

	rules->silent = job->silent;
	rules->silent_count = job->silent_count;
	reply.error = open_checked(rules, (enum opener_kind)job->kind, job->path, &reply, &fd);
	return packet_send(socket, &reply, offsetof(struct opener_reply, path) + strlen(reply.path) + 1, fd);
}

int opener_run(int socket, const void *context)
{
	_cleanup_(mount_list_free) struct mount_list mounts = {0};
	struct walk_place told = {0};
	struct walk_rules rules = {.settings = context, .mounts = &mounts, .watcher = socket, .told = &told};
	struct opener_job job;
	int r = 0;

	while (!r && packet_receive(socket, &job, sizeof(job), PACKET_FOREVER, NULL) > 0)
		r = serve(socket, &job, &rules);
	return r < 0;
}
