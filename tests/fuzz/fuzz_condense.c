/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Any bytes as the records of a trace, condensed or scrubbed (rewritten.h): the first byte chooses. */
#include "tests/fuzz/rewritten.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	if (length < PARTS_SETTINGS)
		return 0;
	if (bytes[0] & 1)
		rewritten_try(bytes, length, TOOL_SCRUB, "scrubbed");
	else
		rewritten_try(bytes, length, TOOL_CONDENSE, "condensed");
	return 0;
}
