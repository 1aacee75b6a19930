/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/trace_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash_map.h"
#include "common/time_units.h"
#include "common/unconst.h"
#include "format/chunk.h"
#include "format/limits.h"
#include "format/lz4_block.h"

enum {
	END_RESERVE = 16 << 10, /* least bytes for END, its records and its header */
	PREALLOCATE_AHEAD = 1 << 20,
	INTERRUPTIONS = 1000, /* in a row per call, after which it is an error */
};

struct trace_writer {
	const struct trace_io *io;
	int fd;
	bool is_stream; /* cannot be truncated */
	bool cannot_preallocate;
	bool torn; /* bytes of an unfinished chunk follow `offset` */
	bool closed;
	int error; /* the error that ended it */
	struct rwk_file_header header;
	uint32_t seed;
	uint64_t max_size, free_floor, end_reserve;
	struct trace_tap tap;
	uint64_t start;        /* of the section in the file */
	uint64_t offset;       /* of the next chunk in the section */
	uint64_t preallocated; /* blocks are preallocated up to here, in the file */
	uint64_t sequence;
	uint8_t *stored;       /* RWK_MAX_STORED_CHUNK */
	void *scratch;
};

/* --- bytes -------------------------------------------------------------------------------------------- */

/* Whether to try again, within a limit. */
static bool is_interrupted(ssize_t result, unsigned int *interruptions)
{
	return result == -EINTR && (*interruptions)++ < INTERRUPTIONS;
}

static void skip_written(struct iovec **parts, int *count, size_t written)
{
	while (*count && written >= (*parts)->iov_len) {
		written -= (*parts)->iov_len;
		(*parts)++;
		(*count)--;
	}
	if (*count) {
		(*parts)->iov_base = (uint8_t *)(*parts)->iov_base + written;
		(*parts)->iov_len -= written;
	}
}

/* Writes all parts, and modifies them. */
static int write_parts(struct trace_writer *writer, struct iovec *parts, int count)
{
	unsigned int interruptions = 0;

	while (count) {
		ssize_t written = writer->io->writev(writer->io->context, writer->fd, parts, count);

		if (is_interrupted(written, &interruptions))
			continue;
		if (written <= 0)
			return written ? (int)written : -EIO;
		interruptions = 0;
		writer->torn = true;
		skip_written(&parts, &count, (size_t)written);
	}
	writer->torn = false;
	return 0;
}

/* Removes what follows the last whole chunk, be it bytes or preallocated blocks. */
static int cut_back(struct trace_writer *writer)
{
	unsigned int interruptions = 0;
	int r;

	if (writer->is_stream)
		return writer->torn ? -EPIPE : 0;
	do
		r = writer->io->truncate(writer->io->context, writer->fd, writer->start + writer->offset);
	while (is_interrupted(r, &interruptions));
	if (r >= 0)
		writer->torn = false;
	writer->preallocated = 0;
	return r;
}

/* --- room --------------------------------------------------------------------------------------------- */

/* What must still be written in any case: END, trailer. */
static uint64_t reserve(const struct trace_writer *writer)
{
	return writer->end_reserve + sizeof(struct rwk_trailer);
}

static int preallocate(struct trace_writer *writer, uint64_t end)
{
	uint64_t from = writer->preallocated;
	unsigned int interruptions = 0;
	int r;

	if (from < writer->start + writer->offset)
		from = writer->start + writer->offset;
	do
		r = writer->io->preallocate(writer->io->context, writer->fd, from, end - from);
	while (is_interrupted(r, &interruptions));
	if (r >= 0)
		writer->preallocated = end;
	return r;
}

static bool is_no_space(int error)
{
	return error == -ENOSPC || error == -EDQUOT || error == -EFBIG;
}

static int check_free_floor(const struct trace_writer *writer, uint64_t end)
{
	uint64_t missing = end > writer->preallocated ? end - writer->preallocated : 0;
	uint64_t ahead = end < writer->preallocated ? writer->preallocated - end : 0; /* is released */
	int64_t free_bytes;

	if (!writer->free_floor || writer->is_stream)
		return 0;
	free_bytes = writer->io->free_bytes(writer->io->context, writer->fd);
	if (free_bytes < 0) /* unknown: the floor cannot be checked, the write itself will fail */
		return 0;
	return (uint64_t)free_bytes + ahead < writer->free_floor + missing ? -ENOSPC : 0;
}

/* Makes sure that `length` more bytes fit, and everything that must follow them. */
static int make_room(struct trace_writer *writer, uint64_t length)
{
	uint64_t size = writer->offset + length + reserve(writer), end = writer->start + size;
	int r;

	if (writer->max_size && size > writer->max_size)
		return -EFBIG;
	r = check_free_floor(writer, end);
	if (r < 0 || writer->is_stream || writer->cannot_preallocate || end <= writer->preallocated)
		return r;
	r = preallocate(writer, end + PREALLOCATE_AHEAD);
	if (is_no_space(r))
		r = preallocate(writer, end);
	if (r < 0 && !is_no_space(r)) { /* not every file system supports it: then we go on without */
		writer->cannot_preallocate = true;
		r = 0;
	}
	return r;
}

/* --- chunks ------------------------------------------------------------------------------------------- */

/* Writes a compressed chunk and completes its header; `stored` includes the padding. */
static int put_chunk(struct trace_writer *writer, struct rwk_chunk_header *header, const void *stored)
{
	struct iovec parts[2] = {{.iov_base = header, .iov_len = sizeof(*header)}};
	int r;

	header->sequence = writer->sequence;
	rwk_chunk_header_seal(header, writer->seed);
	parts[1] = (struct iovec){unconst(stored), rwk_chunk_stored_length(header)};
	r = write_parts(writer, parts, parts[1].iov_len ? 2 : 1);
	if (r < 0)
		return r;
	if (writer->tap.take)
		writer->tap.take(writer->tap.context, header, stored);
	writer->sequence++;
	writer->offset += rwk_chunk_length(header);
	return 0;
}

/* --- the end ------------------------------------------------------------------------------------------ */

static int put_end(struct trace_writer *writer, const void *records, size_t length)
{
	struct rwk_chunk_header header = {.type = RWK_CHUNK_END};

	rwk_chunk_pack(&header, records, length, writer->stored, writer->scratch);
	if (rwk_chunk_length(&header) > writer->end_reserve) {
		int r = writer->error ? writer->error : make_room(writer, rwk_chunk_length(&header));

		if (r < 0)
			return r;
	}
	return put_chunk(writer, &header, writer->stored);
}

static int put_trailer(struct trace_writer *writer, enum rwk_end_reason reason)
{
	struct rwk_trailer trailer = {.chunk_count = writer->sequence, .end_reason = reason};
	struct iovec part = {.iov_base = &trailer, .iov_len = sizeof(trailer)};
	int r;

	rwk_trailer_seal(&trailer, writer->seed);
	r = write_parts(writer, &part, 1);
	if (r >= 0)
		writer->offset += sizeof(trailer);
	return r;
}

/* Writes everything after the last chunk, into the reserve. */
static int close_section(struct trace_writer *writer, enum rwk_end_reason reason, const void *records, size_t length)
{
	int r = put_end(writer, records, length);

	return r < 0 ? r : put_trailer(writer, reason);
}

static enum rwk_end_reason reason_of(int error)
{
	switch (error) {
	case -ENOSPC:
	case -EDQUOT:
		return RWK_END_NO_SPACE;
	case -EFBIG:
		return RWK_END_SIZE_LIMIT;
	case -EPIPE:
		return RWK_END_PIPE;
	default:
		return RWK_END_IO_ERROR;
	}
}

/*
 * The file stays a valid trace. Only a torn chunk is cut off: cutting releases the preallocated blocks, which are
 * needed to close the section; they are allocated again, if no other writer was faster. Returns `error`.
 */
static int fail(struct trace_writer *writer, int error)
{
	if (writer->error)
		return writer->error;
	writer->error = error;
	if (writer->torn && cut_back(writer) >= 0 && !writer->is_stream && !writer->cannot_preallocate)
		(void)preallocate(writer, writer->start + writer->offset + reserve(writer));
	return error;
}

/* END with its records, as far as the disk allows. If not even these records fit, END is empty. */
static int close_failed(struct trace_writer *writer, const void *records, size_t length)
{
	enum rwk_end_reason reason = reason_of(writer->error);

	if (!writer->torn && writer->error != -EPIPE && close_section(writer, reason, records, length) < 0 &&
	    (!writer->torn || cut_back(writer) >= 0))
		(void)close_section(writer, reason, NULL, 0);
	(void)cut_back(writer);
	if (!writer->is_stream)
		(void)writer->io->sync(writer->io->context, writer->fd);
	writer->closed = true;
	return writer->error;
}

/* --- the interface ------------------------------------------------------------------------------------ */

/* Adds the chunk in writer->stored. */
static int add_stored(struct trace_writer *writer, struct rwk_chunk_header *header)
{
	int r = make_room(writer, rwk_chunk_length(header));

	if (r >= 0)
		r = put_chunk(writer, header, writer->stored);
	return r < 0 ? fail(writer, r) : 0;
}

int trace_writer_add(struct trace_writer *writer, enum rwk_chunk_type type, uint8_t flags, const void *payload,
		     size_t length, uint64_t first_time, uint64_t last_time)
{
	struct rwk_chunk_header header = {
		.type = (uint16_t)type, .flags = flags, .first_time = first_time, .last_time = last_time};

	if (writer->error)
		return writer->error;
	if (writer->closed || length > RWK_MAX_RAW_CHUNK)
		return -EINVAL;
	rwk_chunk_pack(&header, payload, length, writer->stored, writer->scratch);
	return add_stored(writer, &header);
}

int trace_writer_copy(struct trace_writer *writer, const struct rwk_chunk_header *chunk, const void *stored)
{
	struct rwk_chunk_header header = *chunk;

	if (writer->error)
		return writer->error;
	if (writer->closed || header.raw_size > RWK_MAX_RAW_CHUNK || header.stored_size > RWK_MAX_STORED_CHUNK - 8)
		return -EINVAL;
	memcpy(writer->stored, stored, rwk_chunk_stored_length(&header));
	return add_stored(writer, &header);
}

int trace_writer_close(struct trace_writer *writer, enum rwk_end_reason reason, const void *end_records, size_t length)
{
	int r;

	if (writer->closed)
		return writer->error;
	if (length > RWK_MAX_RAW_CHUNK)
		return -EINVAL;
	r = writer->error ? writer->error : close_section(writer, reason, end_records, length);
	if (r < 0) {
		(void)fail(writer, r);
		return close_failed(writer, end_records, length);
	}
	writer->closed = true;
	if (writer->is_stream)
		return 0;
	r = cut_back(writer);
	return r < 0 ? r : writer->io->sync(writer->io->context, writer->fd);
}

uint64_t trace_writer_bytes(const struct trace_writer *writer)
{
	return writer->offset;
}

const struct rwk_file_header *trace_writer_header(const struct trace_writer *writer)
{
	return &writer->header;
}

static int put_file_header(struct trace_writer *writer, uint64_t realtime)
{
	struct rwk_file_header header = {.realtime = realtime ? realtime : clock_now(CLOCK_REALTIME)};
	struct iovec part = {.iov_base = &header, .iov_len = sizeof(header)};
	int r = random_bytes(header.section_id, sizeof(header.section_id));

	if (r < 0)
		return r;
	rwk_file_header_seal(&header);
	writer->header = header;
	writer->seed = header.crc;
	r = make_room(writer, sizeof(header) + sizeof(struct rwk_chunk_header));
	if (r >= 0)
		r = write_parts(writer, &part, 1);
	if (r < 0)
		return r;
	writer->offset = sizeof(header);
	return 0;
}

static int prepare(struct trace_writer *writer, const struct trace_writer_settings *settings)
{
	int64_t size = writer->io->size(writer->io->context, writer->fd);

	if (size < 0 && size != -ESPIPE)
		return (int)size;
	writer->is_stream = size < 0;
	writer->start = size < 0 ? 0 : (uint64_t)size;
	writer->max_size = settings->max_size;
	writer->free_floor = settings->free_floor;
	writer->tap = settings->tap;
	writer->end_reserve = settings->end_reserve > END_RESERVE ? settings->end_reserve : END_RESERVE;
	writer->stored = malloc(RWK_MAX_STORED_CHUNK);
	writer->scratch = malloc(lz4_block_scratch());
	if (!writer->stored || !writer->scratch)
		return -ENOMEM;
	return 0;
}

int trace_writer_create(const struct trace_io *io, int fd, const struct trace_writer_settings *settings,
			struct trace_writer **ret_writer)
{
	struct trace_writer *writer = calloc(1, sizeof(*writer));
	int r;

	if (!writer)
		return -ENOMEM;
	writer->io = io;
	writer->fd = fd;
	r = prepare(writer, settings);
	if (r >= 0)
		r = put_file_header(writer, settings->realtime);
	if (r >= 0) {
		*ret_writer = writer;
		return 0;
	}
	if (writer->stored && !writer->is_stream) {
		writer->offset = 0;
		(void)cut_back(writer);
	}
	trace_writer_destroy(writer);
	return r;
}

void trace_writer_destroy(struct trace_writer *writer)
{
	if (!writer)
		return;
	free(writer->stored);
	free(writer->scratch);
	free(writer);
}
