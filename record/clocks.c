/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/clocks.h"

#include <time.h>

enum { TRIES = 4 };

static uint64_t read_clock(clockid_t clock)
{
	struct timespec time = {0};

	(void)clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

uint64_t clocks_now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

void clocks_read(struct event_clock *ret_clock)
{
	ret_clock->window = UINT64_MAX;
	for (int i = 0; i < TRIES; i++) {
		struct event_clock clock = {.time = clocks_now()};

		clock.boottime = read_clock(CLOCK_BOOTTIME);
		clock.realtime = read_clock(CLOCK_REALTIME);
		clock.tai = read_clock(CLOCK_TAI);
		clock.window = clocks_now() - clock.time;
		if (clock.window < ret_clock->window)
			*ret_clock = clock;
	}
}
