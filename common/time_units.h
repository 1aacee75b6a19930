/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Times and lengths of time are in nanoseconds: the units that people count in, what clocks show, and what people type. */
#ifndef RWALKER_COMMON_TIME_UNITS_H
#define RWALKER_COMMON_TIME_UNITS_H

#include <stdint.h>
#include <time.h>

#define MICROSECOND UINT64_C(1000)
#define MILLISECOND UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)

/* What a clock shows; 0 if the kernel does not have the clock. */
static inline uint64_t clock_now(clockid_t clock)
{
	struct timespec now = {0};

	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

/*
 * A length of time as people type it: "5", "0.5", "10s", "500ms", "2m". The whole text: a decimal number and ns, us, ms, s, m (minutes), h, d, or no unit, which means `unit` nanoseconds.
 * -EINVAL if it is something else, is no whole number of nanoseconds, or does not fit.
 */
int duration_parse(const char *text, uint64_t unit, uint64_t *ret_ns);

#endif
