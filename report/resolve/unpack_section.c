/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/unpack_section.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/cleanup.h"
#include "report/resolve/unpack.h"

enum {
	ZLIB_RATIO = 1032, /* no stream of deflate says more in a byte (zlib, technical details) */
};

static int unpack_zlib(const uint8_t *from, size_t size, uint8_t *to, size_t wanted)
{
	z_stream stream = {.next_in = (uint8_t *)from, .avail_in = (uInt)size, .next_out = to, .avail_out = (uInt)wanted};
	int result;

	if (size > UINT_MAX || wanted > UINT_MAX)
		return -E2BIG;
	if (inflateInit(&stream) != Z_OK)
		return -ENOMEM;
	result = inflate(&stream, Z_FINISH);
	(void)inflateEnd(&stream);
	if (result == Z_MEM_ERROR)
		return -ENOMEM;
	return result == Z_STREAM_END && stream.total_out == wanted ? 0 : -EBADMSG;
}

int unpack_section(const uint8_t *bytes, size_t size, size_t most, uint8_t **ret_bytes, size_t *ret_size)
{
	_cleanup_free_ uint8_t *to = NULL;
	Elf64_Chdr header;
	int r;

	if (size < sizeof(header))
		return -EBADMSG;
	memcpy(&header, bytes, sizeof(header));
	bytes += sizeof(header);
	size -= sizeof(header);
	if (header.ch_type != ELFCOMPRESS_ZLIB && header.ch_type != UNPACK_ELF_ZSTD)
		return -ENOTSUP;
	if (header.ch_size > most)
		return -E2BIG;
	if (!header.ch_size || (header.ch_type == ELFCOMPRESS_ZLIB && header.ch_size / ZLIB_RATIO > size))
		return -EBADMSG; /* before the allocation */
	to = malloc(header.ch_size);
	if (!to)
		return -ENOMEM;
	r = (header.ch_type == ELFCOMPRESS_ZLIB ? unpack_zlib : unpack_zstd_into)(bytes, size, to, header.ch_size);
	if (r < 0)
		return r;
	*ret_bytes = steal_ptr(to);
	*ret_size = header.ch_size;
	return 0;
}
