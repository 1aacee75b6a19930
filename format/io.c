/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Waits for a pipe that is non-blocking; a signal ends the wait, as it would end the write. */
static int wait_for(int fd, short events)
{
	struct pollfd one = {.fd = fd, .events = events};

	return poll(&one, 1, -1) < 0 ? -errno : 0;
}

static ssize_t system_writev(void *context, int fd, const struct iovec *parts, int count)
{
	ssize_t written;
	int r;

	(void)context;
	while ((written = writev(fd, parts, count)) < 0 && errno == EAGAIN) {
		r = wait_for(fd, POLLOUT);
		if (r < 0)
			return r;
	}
	return written < 0 ? -errno : written;
}

static ssize_t system_pread(void *context, int fd, void *bytes, size_t length, uint64_t offset)
{
	ssize_t got;

	(void)context;
	if (offset > INT64_MAX)
		return -EINVAL;
	got = pread(fd, bytes, length, (off_t)offset);
	return got < 0 ? -errno : got;
}

static ssize_t system_read(void *context, int fd, void *bytes, size_t length)
{
	ssize_t got;
	int r;

	(void)context;
	while ((got = read(fd, bytes, length)) < 0 && errno == EAGAIN) {
		r = wait_for(fd, POLLIN);
		if (r < 0)
			return r;
	}
	return got < 0 ? -errno : got;
}

static int system_truncate(void *context, int fd, uint64_t length)
{
	(void)context;
	if (length > INT64_MAX)
		return -EINVAL;
	if (ftruncate(fd, (off_t)length) < 0 || lseek(fd, (off_t)length, SEEK_SET) < 0)
		return -errno;
	return 0;
}

static int system_preallocate(void *context, int fd, uint64_t offset, uint64_t length)
{
	(void)context;
	if (offset > INT64_MAX || length > INT64_MAX)
		return -EFBIG;
	return fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)length) < 0 ? -errno : 0;
}

static int system_sync(void *context, int fd)
{
	(void)context;
	return fdatasync(fd) < 0 ? -errno : 0;
}

static int64_t system_free_bytes(void *context, int fd)
{
	struct statvfs fs;
	int64_t bytes;

	(void)context;
	if (fstatvfs(fd, &fs) < 0)
		return -errno;
	if (__builtin_mul_overflow(fs.f_bavail, fs.f_frsize, &bytes))
		return INT64_MAX;
	return bytes;
}

static int64_t system_size(void *context, int fd)
{
	struct stat file;

	(void)context;
	if (fstat(fd, &file) < 0)
		return -errno;
	return S_ISREG(file.st_mode) ? file.st_size : -ESPIPE;
}

const struct trace_io trace_io_system = {
	.writev = system_writev,
	.pread = system_pread,
	.read = system_read,
	.truncate = system_truncate,
	.preallocate = system_preallocate,
	.sync = system_sync,
	.free_bytes = system_free_bytes,
	.size = system_size,
};

int trace_io_open_unlinked(int *ret_fd)
{
	const char *wanted = getenv("TMPDIR");
	const char *places[] = {wanted && *wanted ? wanted : "/tmp", "/tmp", "/var/tmp", "/dev/shm"};
	int r = -ENOENT;

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		int fd = open(places[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

		if (fd >= 0) {
			*ret_fd = fd;
			return 0;
		}
		r = -errno;
	}
	return r;
}
