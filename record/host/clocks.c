/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/host/clocks.h"

#include "common/time_units.h"

enum { TRIES = 4 };

uint64_t clocks_now(void)
{
	return clock_now(CLOCK_MONOTONIC);
}

void clocks_read(struct event_clock *ret_clock)
{
	ret_clock->window = UINT64_MAX;
	for (int i = 0; i < TRIES; i++) {
		struct event_clock clock = {.time = clocks_now()};

		clock.realtime = clock_now(CLOCK_REALTIME);
		clock.window = clocks_now() - clock.time;
		if (clock.window < ret_clock->window)
			*ret_clock = clock;
	}
}
