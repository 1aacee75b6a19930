/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The rest of memory_io.h: creates a file in memory; calls that only report. */
#pragma once

#include "tests/fault/memory_io.h"

static inline ssize_t memory_read(void *context, int fd, void *bytes, size_t length)
{
	(void)context, (void)fd, (void)bytes, (void)length;
	return -EBADF;
}

static inline int memory_sync(void *context, int fd)
{
	(void)fd;
	return memory_fault(context, CALL_SYNC) < 0 ? -EIO : 0;
}

static inline int64_t memory_free_bytes(void *context, int fd)
{
	struct memory_io *m = context;
	int error = memory_fault(m, CALL_FREE_BYTES);

	(void)fd;
	if (error < 0)
		return error;
	return m->disk ? (int64_t)(m->disk > m->blocks ? m->disk - m->blocks : 0) : INT64_MAX;
}

static inline int64_t memory_size(void *context, int fd)
{
	const struct memory_io *m = context;

	(void)fd;
	return m->is_pipe ? -ESPIPE : (int64_t)m->length;
}

static inline int memory_pipe_truncate(void *context, int fd, uint64_t length)
{
	(void)context, (void)fd, (void)length;
	return -EINVAL;
}

/* Sets the calls; leaves the rest as it is. */
static inline void memory_io_open(struct memory_io *m)
{
	m->io = (struct trace_io){
		.context = m,
		.writev = memory_writev,
		.pread = memory_pread,
		.read = memory_read,
		.truncate = m->is_pipe ? memory_pipe_truncate : memory_truncate,
		.preallocate = memory_preallocate,
		.sync = memory_sync,
		.free_bytes = memory_free_bytes,
		.size = memory_size,
	};
}

static inline void memory_io_close(struct memory_io *m)
{
	free(m->bytes);
	m->bytes = NULL;
	m->length = m->room = 0;
}

/* A file of `length` bytes that the caller owns, for reading. */
static inline struct memory_io memory_io_over(uint8_t *bytes, size_t length)
{
	return (struct memory_io){.bytes = bytes, .length = length};
}
