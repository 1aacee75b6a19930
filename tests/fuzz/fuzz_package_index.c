/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Any bytes as the index of a package. It is asked for every identity in it and for one that may be
 * absent: it ends, and what it returns for a unit is in the index.
 */
#include <string.h>

#include "report/resolve/dwarf/package_index.h"
#include "tests/fuzz/unwind_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* Little-endian, unaligned. */
static bool stands_in(const uint8_t *bytes, size_t length, uint32_t number)
{
	for (size_t i = 16; i + 4 <= length; i += 4)
		if (((uint32_t)bytes[i] | (uint32_t)bytes[i + 1] << 8 | (uint32_t)bytes[i + 2] << 16 |
		     (uint32_t)bytes[i + 3] << 24) == number)
			return true;
	return false;
}

static void ask(const uint8_t *bytes, size_t length, uint64_t id)
{
	struct package_part parts[PACKAGE_COLUMNS];

	if (!package_index_find((struct line_bytes){.bytes = bytes, .size = length}, id, parts))
		return;
	for (size_t i = 0; i < PACKAGE_COLUMNS; i++)
		if (parts[i].known)
			fuzz_require(stands_in(bytes, length, parts[i].offset) &&
				     stands_in(bytes, length, parts[i].size));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	uint64_t id;

	ask(bytes, length, 0);
	for (size_t i = 16; i + 8 <= length && i < 512; i += 8) {
		memcpy(&id, bytes + i, sizeof(id));
		ask(bytes, length, id);
	}
	return 0;
}
