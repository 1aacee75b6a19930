/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Writes chunks to a file or a pipe. The writer owns the section: header, sequence numbers,
 * checksums and trailer, and the reserved bytes that make sure END and trailer always fit. One gathered write per chunk. After every call the file is a valid trace; when the disk is
 * full or fails, the file is cut back to its last complete chunk, and every later call returns the
 * same error, except close, which first writes END and trailer into the reserve. Memory is
 * allocated at creation. The caller ignores SIGPIPE and SIGXFSZ. In a file that already holds bytes, the section is appended.
 */
#ifndef RWALKER_FORMAT_TRACE_WRITER_H
#define RWALKER_FORMAT_TRACE_WRITER_H

#include "format/io.h"
#include "format/trace.h"

struct trace_writer;

/* Also gets each chunk, in the order of the file, sealed; `stored` with its padding. Valid during the call. */
struct trace_tap {
	void *context;
	void (*take)(void *context, const struct rwk_chunk_header *header, const void *stored);
};

struct trace_writer_settings {
	uint64_t max_size;   /* most bytes of the section, 0: no limit; reached: -EFBIG */
	uint64_t free_floor; /* bytes to leave free on the file system, 0: none; reached: -ENOSPC */
	uint64_t realtime;   /* CLOCK_REALTIME at the start of the recording, ns; 0: now */
	uint64_t end_reserve; /* bytes of END that must fit when nothing else does; at least 16 KiB */
	struct trace_tap tap; /* take may be NULL */
};

/*
 * Writes the file header. The fd stays the caller's, positioned at
 * its end. On failure nothing is left in the file, if it can be cut. Close ends the section;
 * destroy alone leaves it open.
 */
int trace_writer_create(const struct trace_io *io, int fd, const struct trace_writer_settings *settings,
			struct trace_writer **ret_writer);
void trace_writer_destroy(struct trace_writer *writer);

/* Compresses and writes one chunk. length <= RWK_MAX_RAW_CHUNK. 0, -EFBIG, -ENOSPC, -EDQUOT, -EIO, -EPIPE ... */
int trace_writer_add(struct trace_writer *writer, enum rwk_chunk_type type, uint8_t flags, const void *payload,
		     size_t length, uint64_t first_time, uint64_t last_time);

/*
 * Writes a chunk of another section as it is stored; sequence number and checksum become those of
 * this one. `stored` with its padding. The same errors.
 */
int trace_writer_copy(struct trace_writer *writer, const struct rwk_chunk_header *header, const void *stored);

/* END (with `end_records`), trailer, sync. Once. Returns the error of an earlier call, if there was one. */
int trace_writer_close(struct trace_writer *writer, enum rwk_end_reason reason, const void *end_records, size_t length);

uint64_t trace_writer_bytes(const struct trace_writer *writer); /* of the section, so far */
const struct rwk_file_header *trace_writer_header(const struct trace_writer *writer); /* of the section */

#endif
