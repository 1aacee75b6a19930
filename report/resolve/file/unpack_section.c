/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/file/unpack_section.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/pack/deflate.h"
#include "report/resolve/file/unpack.h"

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
	if (!header.ch_size ||
	    (header.ch_type == ELFCOMPRESS_ZLIB && header.ch_size / UNPACK_ZLIB_RATIO > size))
		return -EBADMSG; /* before the allocation */
	to = malloc(header.ch_size);
	if (!to)
		return -ENOMEM;
	r = header.ch_type == ELFCOMPRESS_ZLIB ? zlib_unpack(bytes, size, to, header.ch_size) :
						 unpack_zstd_into(bytes, size, to, header.ch_size);
	if (r < 0)
		return r;
	*ret_bytes = steal_ptr(to);
	*ret_size = header.ch_size;
	return 0;
}
