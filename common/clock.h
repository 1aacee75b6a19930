/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What one of the system's clocks shows, as one number. */
#ifndef RWALKER_COMMON_CLOCK_H
#define RWALKER_COMMON_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "common/time_units.h"

/* ns; 0 if the kernel does not have the clock. */
static inline uint64_t clock_now(clockid_t clock)
{
	struct timespec now = {0};

	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

#endif
