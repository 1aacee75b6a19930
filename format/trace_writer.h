/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Chunks onto a file or a pipe. The writer owns the section: header, sequence numbers, checksums, the PARITY
 * chunks, index and trailer, and the bytes kept in reserve so that these always fit. One gathered write per
 * chunk. After every call that returns, what lies on disk is a valid trace; when the disk is full or fails, the file
 * is cut back to its last whole chunk, and every later call returns the same error, but for close, which writes END, INDEX
 * and trailer into the reserve, and then returns it.
 * Memory is taken at creation; a section with more chunks than an INDEX chunk holds has none.
 * The caller ignores SIGPIPE and SIGXFSZ. A file that holds bytes already gets a new section behind them.
 */
#ifndef RWALKER_FORMAT_TRACE_WRITER_H
#define RWALKER_FORMAT_TRACE_WRITER_H

#include "format/io.h"
#include "format/trace.h"

struct trace_writer;

struct trace_writer_settings {
	uint64_t max_size;   /* bytes of the section at most, 0: no limit; reached: -EFBIG */
	uint64_t free_floor; /* bytes to leave free on the file system, 0: none; reached: -ENOSPC */
	uint64_t realtime;   /* CLOCK_REALTIME when what it tells of began, ns; 0: now */
	uint64_t end_reserve; /* bytes of END that must fit when nothing else does; 16 KiB at least */
};

/*
 * Writes the file header and the chunk that repeats it. The fd stays the caller's, at its end. On failure nothing is
 * left in the file, where it can be cut. The section ends where the writer is closed; destroy alone leaves it open.
 */
int trace_writer_create(const struct trace_io *io, int fd, const struct trace_writer_settings *settings,
			struct trace_writer **ret_writer);
void trace_writer_destroy(struct trace_writer *writer);

/* Compresses and writes one chunk. length <= RWK_MAX_RAW_CHUNK. 0, -EFBIG, -ENOSPC, -EDQUOT, -EIO, -EPIPE ... */
int trace_writer_add(struct trace_writer *writer, enum rwk_chunk_type type, uint8_t flags, const void *payload,
		     size_t length, uint64_t first_time, uint64_t last_time);

/* END (with `end_records`), INDEX, trailer, sync. Once. Returns the failure of an earlier call, if there was one. */
int trace_writer_close(struct trace_writer *writer, enum rwk_end_reason reason, const void *end_records, size_t length);

uint64_t trace_writer_bytes(const struct trace_writer *writer); /* of the section, so far */

#endif
