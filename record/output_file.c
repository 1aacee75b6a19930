/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "common/log.h"
#include "record/host/caller.h"

static int name_default(char path[static OUTPUT_PATH_MAX])
{
	char date[32];
	struct utsname host;
	struct tm local;
	time_t seconds = time(NULL);

	if (uname(&host) || !localtime_r(&seconds, &local) || !strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &local))
		return log_error(EINVAL, "cannot choose a name for the trace: give one with -o FILE");
	(void)snprintf(path, OUTPUT_PATH_MAX, "rwalker-%s-%s.rwk", host.nodename, date);
	for (char *at = path; *at; at++)
		*at = *at == '/' ? '_' : *at;
	return 0;
}

static int create_new(const char *path)
{
	int fd = open(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_RDWR, 0600);

	return fd < 0 ? -errno : fd;
}

static int say_exists(const char *path)
{
	struct stat status;

	if (!lstat(path, &status) && S_ISDIR(status.st_mode))
		return log_error(EEXIST, "'%s' is a folder: name a file in it, as in -o %s/trace.rwk", path, path);
	return log_error(EEXIST, "'%s' already exists: choose another name with -o, or replace it with --force", path);
}

/* What --force may replace. */
static int replaceable(const char *path, const struct caller *caller)
{
	struct stat status;

	if (lstat(path, &status))
		return errno == ENOENT ? 0 : -errno;
	if (S_ISDIR(status.st_mode))
		return say_exists(path);
	if (!S_ISREG(status.st_mode))
		return log_error(EEXIST, "'%s' is not a regular file: choose another name with -o", path);
	if (status.st_nlink != 1 || status.st_uid != caller->uid)
		return log_error(EEXIST, "--force does not replace '%s', which has another owner "
					 "or a second link: choose another name with -o", path);
	return 0;
}

static int create_over(const char *path, const struct caller *caller)
{
	char temporary[OUTPUT_PATH_MAX + 16];
	int fd, rc = replaceable(path, caller);

	if (rc)
		return rc;
	(void)snprintf(temporary, sizeof(temporary), "%s.%d.new", path, (int)getpid());
	fd = create_new(temporary);
	if (fd >= 0 && rename(temporary, path)) {
		rc = -errno;
		(void)unlink(temporary);
		(void)close(fd);
		return rc;
	}
	return fd;
}

static int file_create(const char *path, bool force)
{
	struct caller caller;
	int fd, rc;

	caller_get(&caller);
	rc = caller_fs_enter(&caller);
	if (rc)
		return log_error(-rc, "cannot switch to user %u to create '%s'", (unsigned int)caller.uid, path);
	fd = force ? create_over(path, &caller) : create_new(path);
	rc = caller_fs_leave(&caller);
	if (fd == -EEXIST && !force)
		return say_exists(path);
	if (fd < 0 && fd != -EEXIST)
		return log_error(-fd, "cannot create '%s': %s", path, strerror(-fd));
	if (fd >= 0 && rc) {
		(void)close(fd);
		return log_error(-rc, "cannot switch back to root after creating '%s'", path);
	}
	return fd;
}

int output_file_open(struct output_file *output, const char *path, bool force)
{
	*output = (struct output_file){.fd = -1, .is_file = true};
	if (path && !strcmp(path, "-")) {
		if (isatty(STDOUT_FILENO))
			return log_error(EINVAL, "cannot write a binary trace to a terminal: "
						 "redirect stdout or use -o FILE");
		output->is_file = false;
		output->path[0] = '-';
		output->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		return output->fd < 0 ? log_error(errno, "cannot write to stdout: %s", strerror(errno)) : 0;
	}
	if (path && strlen(path) >= OUTPUT_PATH_MAX)
		return log_error(ENAMETOOLONG, "the name given with -o is too long");
	if (!path && name_default(output->path))
		return -EINVAL;
	if (path)
		(void)snprintf(output->path, sizeof(output->path), "%s", path);
	output->fd = file_create(output->path, force);
	return output->fd < 0 ? output->fd : 0;
}

void output_file_close(struct output_file *output)
{
	if (output->fd >= 0)
		(void)close(output->fd);
	output->fd = -1;
}

void output_file_discard(struct output_file *output)
{
	struct caller caller;

	if (output->fd >= 0 && output->is_file) {
		caller_get(&caller);
		if (!caller_fs_enter(&caller))
			(void)unlink(output->path);
		(void)caller_fs_leave(&caller);
	}
	output_file_close(output);
}
