/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "format/chunk.h"
#include "format/crc32c.h"
#include "format/event_decoder.h"
#include "format/limits.h"
#include "format/trace_scan.h"

enum { FIRST_CHUNK_MAX = 64 << 10 }; /* limit of raw bytes of a first chunk that is read */

int trace_scan_read(const struct trace_io *io, int fd, void *bytes, size_t length, uint64_t offset)
{
	size_t done = 0;

	while (done < length) {
		ssize_t got = io->pread(io->context, fd, (uint8_t *)bytes + done, length - done, offset + done);

		if (got == -EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? (int)got : -ENODATA;
		done += (size_t)got;
	}
	return 0;
}

int trace_salvage_payload(struct trace_scan *scan, uint64_t offset, const struct rwk_chunk_header *header)
{
	size_t length = rwk_chunk_length(header) - sizeof(*header);
	int r;

	if (length > scan->budget)
		return 1;
	if (offset + sizeof(*header) + length > scan->size)
		return 0;
	scan->budget -= length;
	r = array_reserve(&scan->payload, length);
	if (r >= 0)
		r = trace_scan_read(scan->io, scan->fd, scan->payload.items, length, offset + sizeof(*header));
	if (r < 0)
		return r;
	return crc32c(0, scan->payload.items, length) == header->payload_crc;
}

/* The file header that the payload's first record repeats. */
static bool find_file_header(const void *payload, size_t length, struct rwk_file_header *ret_header)
{
	static const char key[] = "file-header";
	struct event_decoder *decoder;
	struct event event;
	bool found = false;

	if (event_decoder_create(&decoder) < 0)
		return false;
	event_decoder_start(decoder, payload, length);
	if (event_decoder_next(decoder, &event) == 1 && event.kind == EVENT_META &&
	    event.meta.key.length == sizeof(key) - 1 && !memcmp(event.meta.key.bytes, key, sizeof(key) - 1) &&
	    event.meta.value.length >= sizeof(*ret_header)) {
		memcpy(ret_header, event.meta.value.bytes, sizeof(*ret_header));
		found = true;
	}
	event_decoder_destroy(decoder);
	return found;
}

int trace_salvage_first(struct trace_scan *scan, uint64_t offset, const struct rwk_chunk_header *header,
			struct rwk_file_header *ret_header)
{
	_cleanup_free_ uint8_t *raw = NULL;
	struct rwk_file_header found;
	uint32_t seed;
	int r;

	if (header->type != RWK_CHUNK_STATE || !(header->flags & RWK_CHUNK_SEGMENT) ||
	    header->raw_size > FIRST_CHUNK_MAX || header->stored_size > FIRST_CHUNK_MAX ||
	    !rwk_chunk_header_seed(header, &seed) || scan->budget < FIRST_CHUNK_MAX)
		return 0;
	r = trace_salvage_payload(scan, offset, header);
	if (r <= 0)
		return r;
	raw = malloc(FIRST_CHUNK_MAX);
	if (!raw)
		return -ENOMEM;
	if (rwk_chunk_unpack(header, scan->payload.items, raw) < 0 ||
	    !find_file_header(raw, header->raw_size, &found) ||
	    rwk_file_header_check(&found) == -EBADMSG || found.crc != seed)
		return 0;
	*ret_header = found;
	return 1;
}

int trace_salvage_pair(struct trace_scan *scan, uint64_t offset, const struct rwk_chunk_header *header,
		       struct rwk_file_header *ret_header)
{
	uint64_t next_offset = offset + rwk_chunk_length(header);
	struct rwk_chunk_header next;
	uint32_t seed;
	int r;

	if (!rwk_chunk_header_seed(header, &seed) || next_offset + sizeof(next) > scan->size)
		return 0;
	r = trace_scan_read(scan->io, scan->fd, &next, sizeof(next), next_offset);
	if (r < 0)
		return r;
	if (!rwk_chunk_header_valid(&next, seed) || next.sequence != header->sequence + 1)
		return 0;
	*ret_header = (struct rwk_file_header){
		.major = RWK_MAJOR, .header_size = sizeof(*ret_header), .max_raw = RWK_MAX_RAW_CHUNK, .crc = seed};
	return 1;
}
