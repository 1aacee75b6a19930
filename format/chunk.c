/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/chunk.h"

#include <errno.h>
#include <string.h>

#include "format/crc32c.h"
#include "format/limits.h"
#include "format/lz4_block.h"

enum { KNOWN_INCOMPATIBLE = 0 };

void rwk_file_header_seal(struct rwk_file_header *header)
{
	memcpy(header->magic, RWK_MAGIC, sizeof(header->magic));
	header->version = RWK_VERSION;
	header->header_size = sizeof(*header);
	header->max_raw = RWK_MAX_RAW_CHUNK;
	header->crc = crc32c(0, header, offsetof(struct rwk_file_header, crc));
}

int rwk_file_header_check(const struct rwk_file_header *header)
{
	if (memcmp(header->magic, RWK_MAGIC, sizeof(header->magic)) ||
	    header->crc != crc32c(0, header, offsetof(struct rwk_file_header, crc)))
		return -EBADMSG;
	/* Before version 1.0 there were two numbers of 16 bits here, the first of which was 1. */
	if ((header->version & 0xffff) == 1)
		return -ESTALE;
	if (header->version / 100 != RWK_MAJOR || header->incompatible & ~(uint64_t)KNOWN_INCOMPATIBLE)
		return -EPROTONOSUPPORT;
	if (header->header_size < sizeof(*header) || header->header_size > RWK_MAX_FILE_HEADER ||
	    header->header_size % 8 || header->max_raw > RWK_MAX_RAW_CHUNK)
		return -EBADMSG;
	return 0;
}

void rwk_chunk_header_seal(struct rwk_chunk_header *header, uint32_t seed)
{
	memcpy(header->magic, RWK_CHUNK_MAGIC, sizeof(header->magic));
	header->header_crc = crc32c(seed, header, offsetof(struct rwk_chunk_header, header_crc));
}

static bool is_plausible(const struct rwk_chunk_header *header)
{
	return !memcmp(header->magic, RWK_CHUNK_MAGIC, sizeof(header->magic)) &&
	       header->stored_size <= RWK_MAX_STORED_CHUNK && header->raw_size <= RWK_MAX_RAW_CHUNK &&
	       (header->codec != RWK_CODEC_NONE || header->stored_size == header->raw_size);
}

bool rwk_chunk_header_valid(const struct rwk_chunk_header *header, uint32_t seed)
{
	return is_plausible(header) &&
	       header->header_crc == crc32c(seed, header, offsetof(struct rwk_chunk_header, header_crc));
}

static size_t padded(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

size_t rwk_chunk_stored_length(const struct rwk_chunk_header *header)
{
	return padded(header->stored_size);
}

size_t rwk_chunk_length(const struct rwk_chunk_header *header)
{
	return sizeof(*header) + rwk_chunk_stored_length(header);
}

void rwk_trailer_seal(struct rwk_trailer *trailer, uint32_t seed)
{
	memcpy(trailer->magic, RWK_TRAILER_MAGIC, sizeof(trailer->magic));
	trailer->crc = crc32c(seed, trailer, offsetof(struct rwk_trailer, crc));
}

bool rwk_trailer_valid(const struct rwk_trailer *trailer, uint32_t seed)
{
	return !memcmp(trailer->magic, RWK_TRAILER_MAGIC, sizeof(trailer->magic)) &&
	       trailer->crc == crc32c(seed, trailer, offsetof(struct rwk_trailer, crc));
}

static void finish(struct rwk_chunk_header *header, enum rwk_codec codec, void *stored,
		   size_t stored_size, size_t raw_size)
{
	header->codec = (uint8_t)codec;
	header->raw_size = (uint32_t)raw_size;
	header->stored_size = (uint32_t)stored_size;
	memset((uint8_t *)stored + stored_size, 0, padded(stored_size) - stored_size);
	header->payload_crc = crc32c(0, stored, padded(stored_size));
}

void rwk_chunk_keep(struct rwk_chunk_header *header, void *stored, size_t length)
{
	finish(header, RWK_CODEC_NONE, stored, length, length);
}

void rwk_chunk_pack(struct rwk_chunk_header *header, const void *payload, size_t length, void *stored, void *scratch)
{
	size_t size = length ? lz4_block_compress(scratch, payload, length, stored, length - 1) : 0;

	if (!size && length)
		memcpy(stored, payload, length);
	if (size)
		finish(header, RWK_CODEC_LZ4, stored, size, length);
	else
		rwk_chunk_keep(header, stored, length);
}

bool rwk_chunk_whole(const struct rwk_chunk_header *header, const void *stored)
{
	return header->payload_crc == crc32c(0, stored, padded(header->stored_size));
}

int rwk_chunk_unpack(const struct rwk_chunk_header *header, const void *stored, void *payload)
{
	if (!rwk_chunk_whole(header, stored))
		return -EBADMSG;
	switch (header->codec) {
	case RWK_CODEC_NONE:
		if (header->stored_size != header->raw_size)
			return -EBADMSG;
		if (header->raw_size)
			memcpy(payload, stored, header->raw_size);
		return 0;
	case RWK_CODEC_LZ4:
		return lz4_block_decompress(stored, header->stored_size, payload, header->raw_size);
	default:
		return -EPROTONOSUPPORT;
	}
}
