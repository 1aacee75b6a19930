/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/trace_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "format/chunk.h"
#include "format/trace_scan.h"

struct trace_reader {
	struct trace_scan scan;
	uint8_t *stored;     /* room for the largest chunk's stored bytes and their padding */
	uint8_t *is_damaged; /* per chunk: its payload turned out to be damaged */
};

static void note_damaged(struct trace_reader *reader, const struct trace_chunk *chunk)
{
	size_t number = (size_t)(chunk - reader->scan.chunks.items);

	reader->scan.damage.chunks += !reader->is_damaged[number];
	reader->scan.damage.bytes += reader->is_damaged[number] ? 0 : rwk_chunk_length(&chunk->header);
	reader->is_damaged[number] = 1;
}

static int prepare(struct trace_reader *reader)
{
	size_t room = sizeof(uint64_t);

	for (size_t i = 0; i < reader->scan.chunks.count; i++)
		if (rwk_chunk_length(&reader->scan.chunks.items[i].header) > room)
			room = rwk_chunk_length(&reader->scan.chunks.items[i].header);
	reader->stored = malloc(room);
	reader->is_damaged = calloc(reader->scan.chunks.count + 1, 1);
	return reader->stored && reader->is_damaged ? 0 : -ENOMEM;
}

int trace_reader_create(const struct trace_io *io, int fd, struct trace_reader **ret_reader)
{
	int64_t size = io->size(io->context, fd);
	struct trace_reader *reader;
	int r;

	if (size < 0)
		return (int)size;
	reader = calloc(1, sizeof(*reader));
	if (!reader)
		return -ENOMEM;
	reader->scan.io = io;
	reader->scan.fd = fd;
	reader->scan.size = (uint64_t)size;
	r = trace_scan_run(&reader->scan);
	if (r >= 0)
		r = prepare(reader);
	if (r < 0) {
		trace_reader_destroy(reader);
		return r;
	}
	*ret_reader = reader;
	return 0;
}

void trace_reader_destroy(struct trace_reader *reader)
{
	if (!reader)
		return;
	trace_scan_deinit(&reader->scan);
	free(reader->stored);
	free(reader->is_damaged);
	free(reader);
}

size_t trace_reader_chunks(const struct trace_reader *reader, const struct trace_chunk **ret_chunks)
{
	*ret_chunks = reader->scan.chunks.items;
	return reader->scan.chunks.count;
}

size_t trace_reader_sections(const struct trace_reader *reader, const struct trace_section **ret_sections)
{
	*ret_sections = reader->scan.sections.items;
	return reader->scan.sections.count;
}

int trace_reader_load(struct trace_reader *reader, const struct trace_chunk *chunk, void *buffer)
{
	int r = trace_scan_read(reader->scan.io, reader->scan.fd, reader->stored,
				rwk_chunk_stored_length(&chunk->header), chunk->offset + sizeof(chunk->header));

	if (r >= 0)
		r = rwk_chunk_unpack(&chunk->header, reader->stored, buffer);
	if (r == -ENODATA) /* the file has shrunk */
		r = -EBADMSG;
	if (r == -EBADMSG)
		note_damaged(reader, chunk);
	return r;
}

void trace_reader_damage(const struct trace_reader *reader, struct trace_damage *ret_damage)
{
	*ret_damage = reader->scan.damage;
}

/* --- pipes -------------------------------------------------------------------------------------------- */

static int write_all(const struct trace_io *io, int fd, uint8_t *bytes, size_t length)
{
	while (length) {
		struct iovec part = {.iov_base = bytes, .iov_len = length};
		ssize_t written = io->writev(io->context, fd, &part, 1);

		if (written == -EINTR)
			continue;
		if (written <= 0)
			return written ? (int)written : -EIO;
		bytes += written;
		length -= (size_t)written;
	}
	return 0;
}

static int copy_all(const struct trace_io *io, int from, uint64_t limit, int to)
{
	uint8_t bytes[8 << 10];
	uint64_t total = 0;
	ssize_t got;
	int r;

	while ((got = io->read(io->context, from, bytes, sizeof(bytes)))) {
		if (got == -EINTR)
			continue;
		if (got < 0)
			return (int)got;
		total += (uint64_t)got;
		if (total > limit)
			return -EFBIG;
		r = write_all(io, to, bytes, (size_t)got);
		if (r < 0)
			return r;
	}
	return 0;
}

int trace_reader_spool(const struct trace_io *io, int pipe_fd, uint64_t limit, int *ret_fd)
{
	_cleanup_close_ int fd = -1;
	int r = trace_io_open_unlinked(&fd);

	if (r >= 0)
		r = copy_all(io, pipe_fd, limit, fd);
	if (r < 0)
		return r;
	*ret_fd = steal_fd(&fd);
	return 0;
}
