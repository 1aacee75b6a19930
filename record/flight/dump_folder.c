/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/flight/dump_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/confine/call_filter.h"
#include "record/flight/forked.h"

static const char SUFFIX[] = ".rwk", DIGITS[] = "0123456789";

/* For files of one folder, messages, and exiting. */
static const struct call_row CALLS[] = {
	CALL(openat), CALL(renameat2), CALL(unlinkat), CALL(newfstatat), CALL(fstat), CALL(close), CALL(fcntl),
	CALL(flock), CALL(getdents64), CALL(geteuid), CALL(dup3),
	CALL(getpid), CALL(recvmsg), CALL(sendmsg), CALL(ppoll), CALL(read), CALL(lseek), CALL(clock_gettime),
	CALL(brk), CALL(munmap), CALL(mremap), CALL(madvise), CALL(futex),
	CALL_WITHOUT(mmap, 2, PROT_EXEC), CALL_WITHOUT(mprotect, 2, PROT_EXEC),
	CALL(rt_sigreturn), CALL(restart_syscall), CALL(exit), CALL(exit_group),
};

/* --- names --- */

/* "-20261125-081500.rwk", or with "-2" and so on before the dot. */
static bool is_name(const struct dump_folder *folder, const char *name)
{
	static const char pattern[] = "-dddddddd-dddddd";
	size_t prefix = strlen(folder->prefix), length = strlen(name);
	const char *at = name + prefix;

	if (length >= DUMP_NAME_MAX || strncmp(name, folder->prefix, prefix) != 0)
		return false;
	for (const char *expected = pattern; *expected; expected++, at++)
		if (*expected == 'd' ? *at < '0' || *at > '9' : *at != *expected)
			return false;
	at += *at == '-' ? 1 + strspn(at + 1, DIGITS) : 0;
	return !strcmp(at, SUFFIX);
}

/* ".PREFIX.4711.new" */
static bool is_temporary(const struct dump_folder *folder, const char *name)
{
	size_t prefix = strlen(folder->prefix);

	if (name[0] != '.' || strncmp(name + 1, folder->prefix, prefix) != 0 || name[1 + prefix] != '.')
		return false;
	name += 2 + prefix;
	return strspn(name, DIGITS) && !strcmp(name + strspn(name, DIGITS), ".new");
}

static int date_text(char *text, size_t room)
{
	time_t seconds = time(NULL);
	struct tm local;

	return localtime_r(&seconds, &local) && strftime(text, room, "%Y%m%d-%H%M%S", &local) ? 0 : -EINVAL;
}

/* --- what is kept --- */

static int compare_known(const void *left, const void *right)
{
	return strcmp(((const struct dump_known *)left)->name, ((const struct dump_known *)right)->name);
}

static void forget_first(struct dump_folder *folder)
{
	folder->count--;
	memmove(folder->known, folder->known + 1, folder->count * sizeof(*folder->known));
}

static void know(struct dump_folder *folder, const char *name, uint64_t bytes)
{
	struct dump_known *known;

	if (folder->count == DUMPS_KNOWN)
		forget_first(folder);
	known = &folder->known[folder->count++];
	(void)snprintf(known->name, sizeof(known->name), "%s", name);
	known->bytes = bytes;
}

static uint64_t known_bytes(const struct dump_folder *folder)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < folder->count; i++)
		sum += folder->known[i].bytes;
	return sum;
}

static void remove_oldest(struct dump_folder *folder)
{
	while (folder->count > 1 && ((folder->kept && folder->count > folder->kept) ||
				     (folder->bytes && known_bytes(folder) > folder->bytes))) {
		(void)unlinkat(folder->fd, folder->known[0].name, 0);
		forget_first(folder);
	}
}

static bool is_ours(const struct dump_folder *folder, const char *name, struct stat *ret_status)
{
	return !fstatat(folder->fd, name, ret_status, AT_SYMLINK_NOFOLLOW) && S_ISREG(ret_status->st_mode) &&
	       ret_status->st_uid == geteuid();
}

/* Removes a file that nobody writes any more. */
static bool remove_unfinished(const struct dump_folder *folder, const char *name)
{
	_cleanup_close_ int fd = openat(folder->fd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	return fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB) && !unlinkat(folder->fd, name, 0);
}

/* Finds the dumps of earlier recorders, and removes the files that they did not finish. Returns how many it removed. */
static int look_around(struct dump_folder *folder)
{
	int fd = openat(folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), removed = 0;
	DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *entry;
	struct stat status;

	folder->count = 0;
	if (!stream) {
		if (fd >= 0)
			(void)close(fd);
		return 0; /* the folder can be written but not read */
	}
	while ((entry = readdir(stream))) {
		if (is_name(folder, entry->d_name) && is_ours(folder, entry->d_name, &status))
			know(folder, entry->d_name, (uint64_t)status.st_size);
		if (is_temporary(folder, entry->d_name) && is_ours(folder, entry->d_name, &status))
			removed += remove_unfinished(folder, entry->d_name);
	}
	(void)closedir(stream);
	qsort(folder->known, folder->count, sizeof(*folder->known), compare_known);
	return removed;
}

/* --- opening --- */

static int default_prefix(struct dump_folder *folder)
{
	struct utsname host;

	if (uname(&host))
		return -errno;
	(void)snprintf(folder->prefix, sizeof(folder->prefix), "rwalker-%s", host.nodename);
	for (char *at = folder->prefix; *at; at++)
		*at = *at == '/' ? '_' : *at;
	return 0;
}

/* "/var/tmp/" and "/var/tmp" (a folder), "/var/tmp/web", "web.rwk". */
static int split_path(struct dump_folder *folder, const char *path)
{
	const char *name = strrchr(path, '/');
	size_t length;
	struct stat status;

	name = name ? name + 1 : path;
	if (!stat(path, &status) && S_ISDIR(status.st_mode)) {
		(void)snprintf(folder->path, sizeof(folder->path), "%s%s", path, *name ? "/" : "");
		return default_prefix(folder);
	}
	length = strlen(name);
	if (length > sizeof(SUFFIX) - 1 && !strcmp(name + length - (sizeof(SUFFIX) - 1), SUFFIX))
		length -= sizeof(SUFFIX) - 1;
	if (!length)
		return -ENOENT;
	if (length >= sizeof(folder->prefix) || (size_t)(name - path) >= sizeof(folder->path))
		return -ENAMETOOLONG;
	(void)snprintf(folder->path, sizeof(folder->path), "%.*s", (int)(name - path), path);
	(void)snprintf(folder->prefix, sizeof(folder->prefix), "%.*s", (int)length, name);
	return 0;
}

static int confine(void)
{
	const struct call_list lists[] = {CALL_LIST(CALLS)};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_DUMPABLE, 0))
		return -errno;
	return call_filter_install(lists, 1, CALL_REFUSAL_KILLS);
}

/* Checks now whether files can be created there. */
static int try_folder(struct dump_folder *folder)
{
	_cleanup_close_ int fd = -1;
	int r = dump_folder_create(folder, &fd);

	dump_folder_drop(folder);
	return r;
}

static int open_path(const struct dump_folder *folder, int flags, struct stat *ret_status)
{
	_cleanup_close_ int fd = open(*folder->path ? folder->path : ".", O_PATH | O_DIRECTORY | O_CLOEXEC | flags);

	if (fd < 0 || fstat(fd, ret_status))
		return -errno;
	return steal_fd(&fd);
}

int dump_folder_open(struct dump_folder *folder, const char *path, uint64_t kept, uint64_t bytes)
{
	int r = forked_become_caller(), removed;
	struct stat status;

	*folder = (struct dump_folder){.fd = -1, .kept = kept, .bytes = bytes};
	folder->known = calloc(DUMPS_KNOWN, sizeof(*folder->known));
	if (!folder->known)
		return -ENOMEM;
	if (r >= 0)
		r = path ? split_path(folder, path) : default_prefix(folder);
	if (r < 0)
		return r;
	folder->fd = open_path(folder, 0, &status);
	if (folder->fd < 0)
		return folder->fd;
	folder->owner = status.st_uid;
	tzset();
	removed = look_around(folder);
	r = try_folder(folder);
	if (r >= 0)
		r = confine();
	return r < 0 ? r : removed;
}

void dump_folder_take_over(struct dump_folder *folder)
{
	(void)look_around(folder);
}

/* The folder is gone. Another one of the same owner may have its path by now. */
static int open_again(struct dump_folder *folder)
{
	struct stat status;
	_cleanup_close_ int fd = open_path(folder, O_NOFOLLOW, &status);

	if (fd < 0)
		return fd;
	if (status.st_uid != folder->owner)
		return -EPERM;
	if (dup3(fd, folder->fd, O_CLOEXEC) < 0)
		return -errno;
	(void)look_around(folder);
	return 0;
}

/* --- one dump --- */

/* Creates a file under a name that nobody else uses, and locks it. */
static int make_temporary(struct dump_folder *folder)
{
	_cleanup_close_ int fd = -1;
	struct stat status;

	(void)snprintf(folder->temporary, sizeof(folder->temporary), ".%s.%d.new", folder->prefix, (int)getpid());
	(void)remove_unfinished(folder, folder->temporary); /* left by a process that had our pid */
	fd = openat(folder->fd, folder->temporary, O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_RDWR, 0600);
	if (fd < 0)
		return -errno;
	(void)flock(fd, LOCK_EX | LOCK_NB); /* not every file system can do that */
	if (fstat(fd, &status))
		return -errno;
	return status.st_nlink ? steal_fd(&fd) : -EAGAIN; /* another recorder removed it before it was locked */
}

int dump_folder_create(struct dump_folder *folder, int *ret_fd)
{
	int fd;

	dump_folder_drop(folder);
	fd = make_temporary(folder);
	if (fd == -ENOENT && !open_again(folder))
		fd = make_temporary(folder);
	if (fd == -EAGAIN)
		fd = make_temporary(folder);
	if (fd < 0)
		*folder->temporary = '\0';
	else
		*ret_fd = fd;
	return fd < 0 ? fd : 0;
}

static int rename_to(struct dump_folder *folder, const char *name)
{
	struct stat status;

	if (!renameat2(folder->fd, folder->temporary, folder->fd, name, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL) /* not every file system can do that */
		return -errno;
	if (!fstatat(folder->fd, name, &status, AT_SYMLINK_NOFOLLOW))
		return -EEXIST;
	return renameat(folder->fd, folder->temporary, folder->fd, name) ? -errno : 0;
}

int dump_folder_keep(struct dump_folder *folder, uint64_t bytes, char *ret_path, size_t room)
{
	char date[32], name[DUMP_NAME_MAX];
	int r = *folder->temporary ? date_text(date, sizeof(date)) : -ENOENT;

	if (r < 0)
		return r;
	(void)snprintf(name, sizeof(name), "%s-%s%s", folder->prefix, date, SUFFIX);
	r = rename_to(folder, name);
	for (unsigned int i = 2; r == -EEXIST && i < 1000; i++) {
		(void)snprintf(name, sizeof(name), "%s-%s-%u%s", folder->prefix, date, i, SUFFIX);
		r = rename_to(folder, name);
	}
	if (r < 0)
		return r;
	*folder->temporary = '\0';
	know(folder, name, bytes);
	remove_oldest(folder);
	(void)snprintf(ret_path, room, "%s%s", folder->path, name);
	return 0;
}

void dump_folder_limit(struct dump_folder *folder, uint64_t kept, uint64_t bytes)
{
	folder->kept = kept;
	folder->bytes = bytes;
	remove_oldest(folder);
}

void dump_folder_drop(struct dump_folder *folder)
{
	if (*folder->temporary)
		(void)unlinkat(folder->fd, folder->temporary, 0);
	*folder->temporary = '\0';
}
