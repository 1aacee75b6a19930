/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Copies the running program to another place, for workloads that run
 * from a file which is deleted, renamed or visible only to themselves.
 */
#ifndef TESTS_LIVE_COPY_H
#define TESTS_LIVE_COPY_H

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads all of /proc/self/exe; the caller frees *ret_bytes. */
static inline int self_read(char **ret_bytes, size_t *ret_size)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *bytes;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -1;
	bytes = malloc((size_t)st.st_size);
	if (!bytes || read(fd, bytes, (size_t)st.st_size) != st.st_size)
		return -1;
	close(fd);
	*ret_bytes = bytes;
	*ret_size = (size_t)st.st_size;
	return 0;
}

static inline int program_write(const char *path, const char *bytes, size_t size)
{
	int fd;

	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		return -1;
	return close(fd);
}

static inline int self_copy(const char *path)
{
	char *bytes = NULL;
	size_t size = 0;
	int failed = self_read(&bytes, &size) || program_write(path, bytes, size);

	free(bytes);
	return failed ? -1 : 0;
}

#endif
