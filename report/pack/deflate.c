/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/pack/deflate.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "common/unconst.h"

enum { LEVEL = 6, GZIP_WINDOW = 15 + 16, MEMORY = 9, PART = 1 << 30 }; /* bytes that zlib gets at a time */

/* All into a room that deflateBound() found to be enough. */
static int pack_all(z_stream *stream, size_t size, size_t room)
{
	int r = Z_OK;

	while (r == Z_OK) {
		uInt in = size < PART ? (uInt)size : PART, out = room < PART ? (uInt)room : PART;

		stream->avail_in = in;
		stream->avail_out = out;
		r = deflate(stream, in == size ? Z_FINISH : Z_NO_FLUSH);
		size -= in - stream->avail_in;
		room -= out - stream->avail_out;
		if (!room && r == Z_OK)
			return -ENOMEM;
	}
	return r == Z_STREAM_END ? 0 : -ENOMEM;
}

int gzip_pack(const uint8_t *bytes, size_t size, uint8_t **ret_packed, size_t *ret_size)
{
	z_stream stream = {.next_in = unconst(bytes)};
	uint8_t *packed;
	size_t room;
	int r = -ENOMEM;

	if (deflateInit2(&stream, LEVEL, Z_DEFLATED, GZIP_WINDOW, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	room = deflateBound(&stream, size);
	packed = malloc(room);
	if (packed) {
		stream.next_out = packed;
		r = pack_all(&stream, size, room);
	}
	*ret_size = stream.total_out;
	(void)deflateEnd(&stream);
	if (r < 0)
		free(packed);
	else
		*ret_packed = packed;
	return r;
}

const char *deflate_version(void)
{
	return zlibVersion();
}
