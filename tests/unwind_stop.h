/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef RWALKER_TESTS_UNWIND_STOP_H
#define RWALKER_TESTS_UNWIND_STOP_H

#include "report/unwind/unwinder.h"

static inline const char *unwind_stop_name(enum unwind_stop stop)
{
	static const char *const names[] = {
		[UNWIND_GOES_ON] = "goes on",
		[UNWIND_CLEAN] = "clean",
		[UNWIND_TRUNCATED] = "truncated",
		[UNWIND_NO_CFI] = "no CFI",
		[UNWIND_BAD_RETURN] = "bad return address",
		[UNWIND_TOO_DEEP] = "depth",
		[UNWIND_SWITCHED] = "other stack",
		[UNWIND_NO_MEMORY] = "no memory",
	};

	return names[stop];
}

#endif
