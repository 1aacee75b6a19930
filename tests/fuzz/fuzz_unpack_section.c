/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A compressed section of any bytes: the result is as large as the section says, and within the limit. */
#include "report/resolve/file/unpack.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	uint8_t *copy = malloc(length + 1), *unpacked = NULL;
	size_t size = 0;
	Elf64_Chdr header;

	if (!copy)
		return 0;
	memcpy(copy, bytes, length);
	if (!unpack_section(copy, length, MOST, &unpacked, &size)) {
		memcpy(&header, copy, sizeof(header));
		if (size != header.ch_size || size > MOST)
			abort();
	}
	free(unpacked);
	free(copy);
	return 0;
}
