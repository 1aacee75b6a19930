/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Any bytes as the records of a trace, condensed (rewritten.h). */
#include "tests/fuzz/rewritten.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	if (length >= PARTS_SETTINGS)
		rewritten_try(bytes, length, TOOL_CONDENSE, 0, "condensed");
	return 0;
}
