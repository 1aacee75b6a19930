/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds the chunks of a trace and returns their payloads. The trace may be complete, unfinished,
 * cut, damaged or concatenated: the reader goes from chunk header to chunk header, and after a bad
 * one searches for the next whose checksum (seeded by its section) is right. The trailer is
 * checked, not relied on. What was lost is reported: bytes, chunks. Reads with pread into bounded
 * buffers, in time linear in the file size; never maps the file.
 */
#ifndef RWALKER_FORMAT_TRACE_READER_H
#define RWALKER_FORMAT_TRACE_READER_H

#include <stdbool.h>

#include "format/io.h"
#include "format/trace.h"

struct trace_reader;

struct trace_chunk {
	uint64_t offset;  /* of its header in the file */
	uint32_t section; /* 0, 1, ... */
	struct rwk_chunk_header header;
};

struct trace_section {
	uint64_t offset, length;
	struct rwk_file_header header;
	bool closed;                   /* a valid trailer was found */
	bool unsupported;              /* incompatible flag or major version: its chunks are not listed */
	uint32_t end_reason;           /* if closed */
};

struct trace_damage {
	uint64_t chunks;    /* damaged, or missing according to the sequence numbers */
	uint64_t bytes;     /* outside of any valid chunk */
	/* Bytes of unfinished chunks at the ends of sections (the recorder was killed): not damage. */
	uint64_t torn_tail;
};

/*
 * fd must be seekable and stays the caller's; for a pipe use trace_reader_spool first. -ENODATA: it holds no trace;
 * -EPROTONOSUPPORT: another major version; -ESTALE: a version before 1.0; -ENOMEM; -errno of pread.
 */
int trace_reader_create(const struct trace_io *io, int fd, struct trace_reader **ret_reader);
void trace_reader_destroy(struct trace_reader *reader);

/* Copies a pipe into an unlinked temporary file; *ret_fd is the caller's. -EFBIG beyond `limit` bytes. */
int trace_reader_spool(const struct trace_io *io, int pipe_fd, uint64_t limit, int *ret_fd);

/* In file order. */
size_t trace_reader_chunks(const struct trace_reader *reader, const struct trace_chunk **ret_chunks);
size_t trace_reader_sections(const struct trace_reader *reader, const struct trace_section **ret_sections);

/*
 * Reads, checks and decompresses one chunk into `buffer` (>= header.raw_size bytes, <=
 * RWK_MAX_RAW_CHUNK). 0; -EBADMSG: its payload is damaged (counted once in the damage); -errno of
 * pread.
 */
int trace_reader_load(struct trace_reader *reader, const struct trace_chunk *chunk, void *buffer);

void trace_reader_damage(const struct trace_reader *reader, struct trace_damage *ret_damage);

#endif
