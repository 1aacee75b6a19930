/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The door to libdeflate, which decompresses zlib data several times as fast as zlib, if all of it is in memory. */
#include <errno.h>
#include <libdeflate.h>

#include "report/resolve/file/unpack.h"

int unpack_zlib_into(const uint8_t *from, size_t size, uint8_t *to, size_t wanted)
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

const char *unpack_zlib_version(void)
{
	return LIBDEFLATE_VERSION_STRING;
}
