/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/lz4_block.h"

#include <errno.h>
#include <limits.h>
#include <lz4.h>

enum { ACCELERATION = 1 };

size_t lz4_block_scratch(void)
{
	return (size_t)LZ4_sizeofState();
}

size_t lz4_block_compress(void *scratch, const void *bytes, size_t length, void *block, size_t room)
{
	int size;

	if (length > LZ4_MAX_INPUT_SIZE || room > INT_MAX)
		return 0;
	size = LZ4_compress_fast_extState(scratch, bytes, block, (int)length, (int)room, ACCELERATION);
	return size > 0 ? (size_t)size : 0;
}

int lz4_block_decompress(const void *block, size_t size, void *bytes, size_t length)
{
	if (size > INT_MAX || length > INT_MAX)
		return -EBADMSG;
	return LZ4_decompress_safe(block, bytes, (int)size, (int)length) == (int)length ? 0 : -EBADMSG;
}

const char *lz4_block_version(void)
{
	return LZ4_versionString();
}
