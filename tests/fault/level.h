/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* CHECK_LEVEL: how much of a long test to run: "check" (the default) or "long". */
#pragma once

#include <stdlib.h>
#include <string.h>

static inline unsigned long level_choose(unsigned long check, unsigned long all)
{
	const char *level = getenv("CHECK_LEVEL");

	return level && !strcmp(level, "long") ? all : check;
}
