/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The system calls under the trace writer and reader, as a table, so that tests can make the n-th call fail, be
 * short or be interrupted. Each returns as the system call does, but -errno instead of -1.
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
	int (*truncate)(void *context, int fd, uint64_t length); /* and goes on writing there */
	int (*preallocate)(void *context, int fd, uint64_t offset, uint64_t length); /* keeps the size */
	int (*sync)(void *context, int fd);
	int64_t (*free_bytes)(void *context, int fd); /* on the file system, for this user */
	int64_t (*size)(void *context, int fd);	      /* of a regular file; -ESPIPE for what cannot seek */
};

/* The real system calls. */
extern const struct trace_io trace_io_system;

/* A file without a name, in $TMPDIR or where else temporary files lie; the caller's. 0, -errno. */
int trace_io_open_unlinked(int *ret_fd);

#endif
