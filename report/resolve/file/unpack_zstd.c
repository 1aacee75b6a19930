/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The door to libzstd. */
#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

#include "common/cleanup.h"
#include "report/resolve/file/unpack.h"
#include "report/resolve/file/unpacked.h"

enum { BLOCK = 1 << 20, WINDOW_LOG = 27 }; /* 128 MiB: needed for zstd -19 --long */

static int unpack_all(ZSTD_DStream *stream, ZSTD_inBuffer *in, uint8_t *block, struct unpacked *unpacked)
{
	size_t left = 1;
	int r = 0;

	while (!r && (in->pos < in->size || left)) {
		ZSTD_outBuffer out = {.dst = block, .size = BLOCK};
		size_t before = in->pos;

		left = ZSTD_decompressStream(stream, &out, in);
		if (ZSTD_isError(left))
			return -EBADMSG;
		if (out.pos == 0 && in->pos == before)
			return left ? -EBADMSG : 0; /* truncated */
		r = unpacked_add(unpacked, block, out.pos);
	}
	return r;
}

int unpack_zstd(const void *bytes, size_t size, uint64_t most, int *ret_fd)
{
	_cleanup_free_ uint8_t *block = malloc(BLOCK);
	ZSTD_inBuffer in = {.src = bytes, .size = size};
	ZSTD_DStream *stream = block ? ZSTD_createDStream() : NULL;
	struct unpacked unpacked = {.fd = -1};
	int r = -ENOMEM;

	if (stream && !ZSTD_isError(ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, WINDOW_LOG)))
		r = 0;
	if (!r)
		r = unpacked_open(&unpacked, most);
	if (!r)
		r = unpack_all(stream, &in, block, &unpacked);
	(void)ZSTD_freeDStream(stream);
	if (r < 0) {
		if (unpacked.fd >= 0)
			(void)close(unpacked.fd);
		return r;
	}
	*ret_fd = unpacked.fd;
	return 0;
}

int unpack_zstd_into(const uint8_t *from, size_t size, uint8_t *to, size_t wanted)
{
	return ZSTD_decompress(to, wanted, from, size) == wanted ? 0 : -EBADMSG;
}

const char *unpack_zstd_version(void)
{
	return ZSTD_versionString();
}
