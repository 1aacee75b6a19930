/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The door to liblzma. */
#include <errno.h>
#include <lzma.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "report/resolve/file/unpack.h"
#include "report/resolve/file/unpacked.h"

enum { BLOCK = 1 << 20, LIBRARY_MEMORY = 192 << 20 }; /* xz -9 needs 65 MiB to decompress */

static int translate(lzma_ret result)
{
	switch (result) {
	case LZMA_OK:
	case LZMA_STREAM_END:
		return 0;
	case LZMA_MEM_ERROR:
		return -ENOMEM;
	case LZMA_MEMLIMIT_ERROR:
		return -E2BIG;
	default:
		return -EBADMSG;
	}
}

static int unpack_all(lzma_stream *stream, uint8_t *block, struct unpacked *unpacked)
{
	lzma_ret result = LZMA_OK;
	int r = 0;

	while (!r && result != LZMA_STREAM_END) {
		stream->next_out = block;
		stream->avail_out = BLOCK;
		result = lzma_code(stream, LZMA_FINISH);
		r = translate(result);
		if (!r)
			r = unpacked_add(unpacked, block, BLOCK - stream->avail_out);
	}
	return r;
}

int unpack_xz_from(const void *bytes, size_t size, uint64_t *left, int *ret_fd)
{
	_cleanup_free_ uint8_t *block = malloc(BLOCK);
	lzma_stream stream = LZMA_STREAM_INIT;
	struct unpacked unpacked;
	int r = block ? unpacked_open(&unpacked, *left) : -ENOMEM;

	if (r < 0)
		return r;
	stream.next_in = bytes;
	stream.avail_in = size;
	r = translate(lzma_stream_decoder(&stream, LIBRARY_MEMORY, LZMA_CONCATENATED));
	if (!r)
		r = unpack_all(&stream, block, &unpacked);
	lzma_end(&stream);
	*left -= r == -E2BIG ? *left : unpacked.size;
	if (r < 0) {
		(void)close(unpacked.fd);
		return r;
	}
	*ret_fd = unpacked.fd;
	return 0;
}

int unpack_xz(const void *bytes, size_t size, uint64_t most, int *ret_fd)
{
	return unpack_xz_from(bytes, size, &most, ret_fd);
}

const char *unpack_xz_version(void)
{
	return lzma_version_string();
}
