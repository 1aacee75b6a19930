/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A file in memory behind trace_io, on a disk of a chosen size, whose n-th call of a chosen kind
 * fails. It behaves like a real file: a failed write may have written a part, preallocated blocks
 * count, truncation frees them.
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "format/io.h"

enum memory_call { CALL_NONE, CALL_WRITEV, CALL_TRUNCATE, CALL_PREALLOCATE, CALL_SYNC,
		   CALL_FREE_BYTES, CALL_PREAD, CALLS };
enum { FAULT_SHORT = 1 }; /* in place of an -errno: only a part is written or read */

struct memory_io {
	struct trace_io io;
	uint8_t *bytes;
	size_t length, room;
	uint64_t blocks;     /* bytes the disk counts for the file: its length or the preallocation */
	uint64_t disk;	     /* bytes of the disk; 0: endless */
	bool is_pipe, cannot_preallocate;
	size_t parts;	     /* bytes written before an error */
	enum memory_call call; /* the fault */
	int error;	     /* -errno or FAULT_SHORT */
	unsigned int nth;    /* from 1 */
	bool sticky;	     /* all later calls of that kind too */
	unsigned int counts[CALLS];
};

/* The fault's error if this call is to fail, else 0. */
static inline int memory_fault(struct memory_io *m, enum memory_call call)
{
	unsigned int n = ++m->counts[call];

	return call == m->call && (n == m->nth || (m->sticky && n > m->nth)) ? m->error : 0;
}

static inline int memory_grow(struct memory_io *m, size_t wanted)
{
	size_t room = wanted > 2 * m->room ? wanted : 2 * m->room;
	uint8_t *grown = wanted <= m->room ? m->bytes : realloc(m->bytes, room);

	if (!grown)
		return -ENOMEM;
	m->room = grown == m->bytes && wanted <= m->room ? m->room : room;
	m->bytes = grown;
	return 0;
}

/* As many of the bytes as fit on the disk. */
static inline ssize_t memory_append(struct memory_io *m, const struct iovec *parts, int count, size_t limit)
{
	size_t done = 0;

	for (int i = 0; i < count && done < limit; i++) {
		size_t length = parts[i].iov_len < limit - done ? parts[i].iov_len : limit - done;
		uint64_t end = m->length + length;

		if (m->disk && end > m->disk && end > m->blocks) {
			uint64_t most = m->disk > m->blocks ? m->disk : m->blocks;

			length = most > m->length ? (size_t)(most - m->length) : 0;
		}
		if (memory_grow(m, m->length + length) < 0)
			return -ENOMEM;
		if (length)
			memcpy(m->bytes + m->length, parts[i].iov_base, length);
		m->length += length;
		m->blocks = m->blocks < m->length ? m->length : m->blocks;
		done += length;
		if (length < parts[i].iov_len)
			break;
	}
	return done ? (ssize_t)done : -ENOSPC;
}

static inline ssize_t memory_writev(void *context, int fd, const struct iovec *parts, int count)
{
	struct memory_io *m = context;
	int error = memory_fault(m, CALL_WRITEV);

	(void)fd;
	if (error == FAULT_SHORT)
		return memory_append(m, parts, count, m->parts ? m->parts : 1);
	if (error && error != -EINTR && m->parts && m->counts[CALL_WRITEV] == m->nth) {
		ssize_t done = memory_append(m, parts, count, m->parts); /* some first, the error with the next call */

		m->nth++;
		return done;
	}
	return error ? error : memory_append(m, parts, count, SIZE_MAX);
}

static inline ssize_t memory_pread(void *context, int fd, void *bytes, size_t length, uint64_t offset)
{
	struct memory_io *m = context;
	int error = memory_fault(m, CALL_PREAD);
	size_t left = offset < m->length ? m->length - (size_t)offset : 0;

	(void)fd;
	if (error < 0)
		return error;
	length = length < left ? length : left;
	length = error == FAULT_SHORT && length > 1 ? length / 2 : length;
	if (length)
		memcpy(bytes, m->bytes + offset, length);
	return (ssize_t)length;
}

static inline int memory_truncate(void *context, int fd, uint64_t length)
{
	struct memory_io *m = context;
	int error = memory_fault(m, CALL_TRUNCATE);

	(void)fd;
	if (error < 0)
		return error;
	if (length > m->length)
		return -EINVAL; /* the writer only ever truncates */
	m->blocks = m->length = (size_t)length;
	return 0;
}

static inline int memory_preallocate(void *context, int fd, uint64_t offset, uint64_t length)
{
	struct memory_io *m = context;
	int error = memory_fault(m, CALL_PREALLOCATE);

	(void)fd;
	if (error < 0 || m->cannot_preallocate)
		return error < 0 ? error : -EOPNOTSUPP;
	if (m->disk && offset + length > m->disk)
		return -ENOSPC;
	m->blocks = m->blocks < offset + length ? offset + length : m->blocks;
	return 0;
}

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
