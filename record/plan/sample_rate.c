/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/plan/sample_rate.h"

enum { SLOW_TIMERS = 100, FAST_TIMERS = 1000, DRIFT_PARTS = 333 };

bool sample_rate_in_step(uint64_t rate)
{
	return rate && (rate % SLOW_TIMERS == 0 || FAST_TIMERS % rate == 0);
}

/* As far from a rate in step as 997 is from 1000: if closer, a short recording sees only some of the phases. */
uint64_t sample_rate_below(uint64_t most)
{
	uint64_t rate = most;

	if (sample_rate_in_step(rate))
		rate -= 1 + rate / DRIFT_PARTS;
	while (sample_rate_in_step(rate))
		rate--;
	return rate ? rate : most;
}
