/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The door to zlib for compressed sections (SHF_COMPRESSED; System V gABI, "Section Compression"). */
#include "common/elf/elf_file.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/cleanup.h"
#include "common/unconst.h"

enum { ZLIB_RATIO = 1032 }; /* the most that a byte of zlib data can unpack to (zlib, technical details) */

/* All streams, one after the other, as written by linkers that join sections. Both sizes fit zlib's 32 bits. */
static int inflate_all(z_stream *stream)
{
	int r = Z_STREAM_END;

	while (r == Z_STREAM_END && stream->avail_out) {
		r = inflate(stream, Z_FINISH);
		if (r == Z_STREAM_END && stream->avail_out && inflateReset(stream) != Z_OK)
			break;
	}
	return r == Z_STREAM_END && !stream->avail_out ? 0 : r == Z_MEM_ERROR ? -ENOMEM : -EBADMSG;
}

static int inflate_into(const uint8_t *from, size_t size, uint8_t *to, size_t wanted)
{
	z_stream stream = {
		.next_in = unconst(from),
		.avail_in = (uInt)size,
		.next_out = to,
		.avail_out = (uInt)wanted,
	};
	int r;

	if (inflateInit(&stream) != Z_OK)
		return -ENOMEM;
	r = inflate_all(&stream);
	(void)inflateEnd(&stream);
	return r;
}

int elf_section_unpack(struct elf_section_bytes *section, uint64_t most)
{
	_cleanup_free_ uint8_t *to = NULL;
	size_t size = section->size;
	Elf64_Chdr header;
	int r;

	if (size < sizeof(header) || size > INT32_MAX)
		return -EBADMSG;
	memcpy(&header, section->bytes, sizeof(header));
	size -= sizeof(header);
	if (header.ch_type != ELFCOMPRESS_ZLIB)
		return -ENOTSUP;
	if (header.ch_size > most)
		return -E2BIG;
	if (!header.ch_size || header.ch_size / ZLIB_RATIO > size)
		return -EBADMSG; /* before the allocation */
	to = malloc(header.ch_size);
	if (!to)
		return -ENOMEM;
	r = inflate_into(section->bytes + sizeof(header), size, to, header.ch_size);
	if (r < 0)
		return r;
	free(section->bytes);
	*section = (struct elf_section_bytes){.bytes = steal_ptr(to), .size = header.ch_size,
					      .address = section->address};
	return 0;
}
