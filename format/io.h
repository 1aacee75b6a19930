/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The system calls below the trace writer and reader, as a table, so that tests can make the n-th
 * call fail, be short or be interrupted. Each returns what the system call returns, but -errno
 * instead of -1.
 */
#ifndef RWALKER_FORMAT_IO_H
#define RWALKER_FORMAT_IO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

struct trace_io {
	void *context;
	ssize_t (*writev)(void *context, int fd, const struct iovec *parts, int count);
	ssize_t (*pread)(void *context, int fd, void *bytes, size_t length, uint64_t offset);
	ssize_t (*read)(void *context, int fd, void *bytes, size_t length);
	int (*truncate)(void *context, int fd, uint64_t length); /* and continues writing there */
	int (*preallocate)(void *context, int fd, uint64_t offset, uint64_t length); /* keeps the size */
	int (*sync)(void *context, int fd);
	int64_t (*free_bytes)(void *context, int fd); /* free on the file system, for this user */
	int64_t (*size)(void *context, int fd);	      /* of a regular file; -ESPIPE if it cannot seek */
};

/* The real system calls. */
extern const struct trace_io trace_io_system;

/* Opens an unnamed file in $TMPDIR or the default folder for temporary files; the caller closes it. 0, -errno. */
int trace_io_open_unlinked(int *ret_fd);

#endif
