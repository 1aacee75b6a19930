/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Any bytes as the records of a trace, scrubbed (rewritten.h) of all classes or some: the first two bytes choose. */
#include "tests/fuzz/rewritten.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	if (length >= PARTS_SETTINGS) {
		const uint32_t classes = SCRUB_ALL & ~(bytes[0] | (uint32_t)bytes[1] << 8);

		rewritten_try(bytes, length, TOOL_SCRUB, classes ? classes : SCRUB_ALL, "scrubbed");
	}
	return 0;
}
