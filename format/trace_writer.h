/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Chunks onto a file or a pipe. The writer owns the section: header, sequence numbers, checksums, index and
 * trailer, and the bytes kept in reserve so that these always fit. One gathered write per chunk. After every call that
 * returns, what lies on disk is a valid trace; when the disk is full or fails, the file is cut back to
 * its last whole chunk, closed with END, INDEX and trailer, and every later call returns the same error.
 * Memory is taken at creation; the index grows by doubling up to a fixed cap, beyond which it is left out of the file.
 */
#ifndef RWALKER_FORMAT_TRACE_WRITER_H
#define RWALKER_FORMAT_TRACE_WRITER_H

#include <stdbool.h>

#include "format/io.h"
#include "format/trace.h"

struct trace_writer;

struct trace_writer_settings {
	uint64_t max_size;   /* bytes of the file at most, 0: no limit; reached: -EFBIG and a closed file */
	uint64_t free_floor; /* bytes to leave free on the file system, 0: none; reached: -ENOSPC and a closed file */
	bool append;	     /* the fd holds a trace that ended early (--finalize): write a new section behind it */
};

/* Writes the file header. The fd stays the caller's. */
int trace_writer_create(const struct trace_io *io, int fd, const struct trace_writer_settings *settings,
			struct trace_writer **ret_writer);
void trace_writer_destroy(struct trace_writer *writer);

/* Compresses and writes one chunk. length <= RWK_MAX_RAW_CHUNK. 0, -EFBIG, -ENOSPC, -EDQUOT, -EIO, -EPIPE ... */
int trace_writer_add(struct trace_writer *writer, enum rwk_chunk_type type, uint8_t flags, const void *payload,
		     size_t length, uint64_t first_time, uint64_t last_time);

/* END (with `end_records`), INDEX, trailer, sync. Once; 0 also when an earlier failure has closed the file already. */
int trace_writer_close(struct trace_writer *writer, enum rwk_end_reason reason, const void *end_records, size_t length);

uint64_t trace_writer_bytes(const struct trace_writer *writer); /* written so far */

#endif
