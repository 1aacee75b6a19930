/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/pack/deflate.h"

#include <errno.h>
#include <libdeflate.h>
#include <stdlib.h>

enum { LEVEL = 6 }; /* 12 takes more than ten times as long for 5 % less */

int gzip_pack(const uint8_t *bytes, size_t size, uint8_t **ret_packed, size_t *ret_size)
{
	struct libdeflate_compressor *library = libdeflate_alloc_compressor(LEVEL);
	size_t room = library ? libdeflate_gzip_compress_bound(library, size) : 0, packed_size = 0;
	uint8_t *packed = room ? malloc(room) : NULL;

	if (packed)
		packed_size = libdeflate_gzip_compress(library, bytes, size, packed, room);
	libdeflate_free_compressor(library);
	if (!packed_size) {
		free(packed);
		return -ENOMEM;
	}
	*ret_packed = packed;
	*ret_size = packed_size;
	return 0;
}

int zlib_unpack(const uint8_t *from, size_t size, uint8_t *to, size_t wanted)
{
	struct libdeflate_decompressor *library = libdeflate_alloc_decompressor();
	size_t taken = 0, given = 0;
	int r = library ? 0 : -ENOMEM;

	while (!r && given < wanted) {
		size_t in, out;

		if (libdeflate_zlib_decompress_ex(library, from + taken, size - taken, to + given,
						  wanted - given, &in,
						  &out) != LIBDEFLATE_SUCCESS ||
		    !out) {
			r = -EBADMSG;
			break;
		}
		taken += in;
		given += out;
	}
	libdeflate_free_decompressor(library);
	return r;
}

const char *deflate_version(void)
{
	return LIBDEFLATE_VERSION_STRING;
}
