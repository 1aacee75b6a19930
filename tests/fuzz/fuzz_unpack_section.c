/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A compressed section of any bytes: the result is as large as the section says, and within the limit. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "common/elf/elf_file.h"

enum { MOST = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct elf_section_bytes section = {.bytes = malloc(length + 1), .size = length, .compressed = true};
	Elf64_Chdr header;

	if (!section.bytes)
		return 0;
	memcpy(section.bytes, bytes, length);
	if (!elf_section_unpack(&section, MOST)) {
		memcpy(&header, bytes, sizeof(header));
		if (section.size != header.ch_size || section.size > MOST)
			abort();
	}
	free(section.bytes);
	return 0;
}
